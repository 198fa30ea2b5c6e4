/**
 * Types of an argument's place (`config.arguments`): where the argument goes in a request, and in
 * which style. The styles are the Style Values of OpenAPI 3.1: RFC 6570 expansions and
 * `deepObject`.
 */

export type ArgumentPlace = {
  /** The argument's name in `meta.parameters`. */
  readonly argument: string
  readonly in: 'path' | 'query' | 'header' | 'body'
  /** The name in the request. In a body, '' means that the argument is the whole body. */
  readonly name: string
  readonly style: ArgumentStyle
  /** True if each item or member is a separate pair. */
  readonly explode: boolean
  /** True if reserved characters that cannot end a value are not encoded. */
  readonly reserved: boolean
  /** The media type of a part of a multipart body. */
  readonly contentType?: string
}

/** `json`: any value as JSON text. `file`: a file, as a part of a multipart body or
 * as the whole body. */
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
export type BodyForm = 'json' | 'form' | 'multipart' | 'text' | 'binary' | 'none'

export const BODY_FORMS: readonly BodyForm[] = [
  'json',
  'form',
  'multipart',
  'text',
  'binary',
  'none',
]

/** Styles by location. The first one is the default. */
export const STYLES_IN: { readonly [place in ArgumentPlace['in']]: readonly ArgumentStyle[] } = {
  path: ['simple', 'label', 'matrix', 'json'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json'],
  header: ['simple', 'json'],
  body: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json', 'file'],
}
