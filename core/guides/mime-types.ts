/** Media types of a guide's files, by the end of their names. */

const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['gif', 'image/gif'],
  ['html', 'text/html'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['py', 'text/x-python'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain'],
  ['webp', 'image/webp'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
])

export function findMimeType(path: string, isText: boolean): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return BY_EXTENSION.get(extension) ?? (isText ? 'text/plain' : 'application/octet-stream')
}
