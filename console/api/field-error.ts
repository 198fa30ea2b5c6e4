/** A fault of a request, as the gateway names it: where, as a JSON pointer, and what. */
export type FieldError = { readonly pointer: string; readonly message: string }
