/** A fault of a request, as the gateway names it: where, as a JSON pointer, and what. */
export type FieldError = {
  readonly pointer: string
  readonly message: string
  /** Of a text that is not JSON: the UTF-16 units before the fault. The gateway sends none. */
  readonly offset?: number | undefined
}
