/** The head of a request as text: what is written to an upstream, and what a dry run shows of it. */
import type { Destination } from './destination.ts'
import type { OutgoingHeaders } from './outgoing-headers.ts'

export function requestHead(
  method: string,
  { path, site }: Destination,
  headers: OutgoingHeaders,
): string {
  return `${method} ${path} HTTP/1.1\r\nhost: ${site.host}\r\n${headers}connection: keep-alive\r\n\r\n`
}

/** The headers of such a text, in their order. */
export function headersIn(head: string): readonly (readonly [name: string, value: string])[] {
  const [, ...lines] = head.trimEnd().split('\r\n')
  return lines.map((line) => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)]
  })
}
