/**
 * Where one argument goes in a request, and how it is written there (`config.arguments`). The styles
 * are those of OpenAPI 3.1 (Style Values), which are RFC 6570 expansions apart from `deepObject`.
 */

export type ArgumentPlace = {
  /** The argument's name in `meta.parameters`. */
  readonly argument: string
  readonly in: 'path' | 'query' | 'header' | 'body'
  /** The name in the request; '' in a body: the argument is the whole body. */
  readonly name: string
  readonly style: ArgumentStyle
  /** Whether each item and member is a pair of its own. */
  readonly explode: boolean
  /** Whether reserved characters that cannot end a value stay unencoded. */
  readonly reserved: boolean
  /** The media type of a part of a multipart body. */
  readonly contentType?: string
}

/** `json`: any value as JSON text. `file`: a part of a multipart body with a file. */
export type ArgumentStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'json'
  | 'file'

/** The form of a body that is made of arguments. */
export type BodyForm = 'json' | 'form' | 'multipart' | 'text' | 'none'

export const BODY_FORMS: readonly BodyForm[] = ['json', 'form', 'multipart', 'text', 'none']

/** The first one is the default. */
export const STYLES_IN: { readonly [place in ArgumentPlace['in']]: readonly ArgumentStyle[] } = {
  path: ['simple', 'label', 'matrix', 'json'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'],
  header: ['simple', 'json'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json', 'file'],
}
