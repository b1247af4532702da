import { ReferenceType, type ProjectReflection } from "typedoc";

/** Shows members from unexported base classes as the class's own: these bases have no page. */
export function forgetHiddenBases(project: ProjectReflection): void {
  for (const reflection of Object.values(project.reflections)) {
    if (!reflection.isDeclaration() && !reflection.isSignature()) continue;
    for (const origin of ["inheritedFrom", "overwrites", "implementationOf"] as const)
      if (isHidden(reflection[origin])) delete reflection[origin];
    if (reflection.isSignature() || reflection.extendedTypes === undefined) continue;
    reflection.extendedTypes = reflection.extendedTypes.filter((base) => !isHidden(base));
    if (reflection.extendedTypes.length === 0) {
      delete reflection.extendedTypes;
      delete reflection.typeHierarchy;
    }
  }
}

/** Types of the language and of Node.js belong to a package; TypeDoc names none, or ours, for our own. */
function isHidden(type: unknown): boolean {
  if (!(type instanceof ReferenceType) || type.reflection !== undefined) return false;
  return type.package === undefined || type.package.startsWith("@perdura/");
}
