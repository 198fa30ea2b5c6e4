/**
 * Why an operation has no tool. The code tells programs the reason; the text says what is so, and
 * never how to change it: that differs between the admin API and the command line.
 */

export type LeftOutCode =
  /** Deprecated, and deprecated operations are not selected. */
  | 'deprecated'
  /** Marked `x-internal`. */
  | 'internal'
  /** Its `x-skillgate` settings, or `x-speakeasy-mcp`, say so. */
  | 'skipped'
  /** No server has an absolute URL, and no `baseUrl` is given. */
  | 'no_server'
  /** A variable of its server has no value, or one that the document does not allow. */
  | 'server_variable'
  /** Its server is http, which the gateway does not call. */
  | 'http_server'
  | 'no_price'
  /** A skill of its id exists that this import did not make. */
  | 'id_taken'
  /** A skill cannot do what the operation needs. */
  | 'unsupported'

export type LeftOut = { readonly code: LeftOutCode; readonly reason: string }

export type NotImported = LeftOut & { readonly operation: string }

/** What to send to the admin API so that the operation is imported. */
export const LEFT_OUT_REMEDIES: { readonly [code in LeftOutCode]: string | undefined } = {
  deprecated: 'Set selection.deprecated to true.',
  internal: undefined,
  skipped: undefined,
  no_server: 'Set baseUrl.',
  server_variable: 'Correct it in serverVariables.',
  http_server: 'Set baseUrl to the same server with https, if it has one.',
  no_price: 'Set defaults.credits.',
  id_taken: 'Choose another name in names, or another prefix.',
  unsupported: undefined,
}
