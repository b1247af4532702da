import { quoteText } from "./names.ts";

/** A statement that grants roles the privileges for tables that they have for another table. */
export function copyPrivileges(from: string, to: readonly string[]): string {
  return `DO ${quoteText(`
    DECLARE
      given record;
    BEGIN
      FOR given IN
        SELECT privilege_type, is_grantable, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role
        FROM pg_class, aclexplode(relacl)
        WHERE pg_class.oid = ${quoteText(from)}::regclass AND grantee <> relowner
      LOOP
        EXECUTE format(${quoteText(`GRANT %s ON ${to.join(", ").replaceAll("%", "%%")} TO %s`)}, given.privilege_type, given.role)
          || CASE WHEN given.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END;
      END LOOP;
    END`)}`;
}
