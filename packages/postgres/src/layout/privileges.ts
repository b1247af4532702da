import { sqlText } from "@perdura/internals/text/quoted_sql.js";

/** A statement that grants roles the privileges for tables that they have for another table. */
export function copyPrivileges(from: string, to: readonly string[]): string {
  return `DO ${sqlText(`
    DECLARE
      given record;
    BEGIN
      FOR given IN
        SELECT privilege_type, is_grantable, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role
        FROM pg_class, aclexplode(relacl)
        WHERE pg_class.oid = ${sqlText(from)}::regclass AND grantee <> relowner
      LOOP
        EXECUTE format(${sqlText(`GRANT %s ON ${to.join(", ").replaceAll("%", "%%")} TO %s`)}, given.privilege_type, given.role)
          || CASE WHEN given.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END;
      END LOOP;
    END`)}`;
}
