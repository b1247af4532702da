/** One broken rule, as ajv reports it. */
export interface SchemaFault {
  /** JSON Pointer of the value that broke it. */
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string;
}

/** Tells whether a value fits; `errors` then holds the first fault. */
export interface Validator {
  (value: unknown): boolean;
  errors?: SchemaFault[] | null;
}

export const validatePattern: Validator;
export const validatePatternLibrary: Validator;
export const validateCollaborationState: Validator;
