/** The head of a request as text: what is written to an upstream, and what a dry run shows of it. */
import type { OutgoingHeaders } from './outgoing-headers.ts'

export function requestHead(method: string, url: URL, headers: OutgoingHeaders): string {
  const { host, pathname, search } = url
  let head = `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  return `${head}connection: keep-alive\r\n\r\n`
}

/** The headers of such a text, in their order. */
export function headersIn(head: string): readonly (readonly [name: string, value: string])[] {
  const [, ...lines] = head.trimEnd().split('\r\n')
  return lines.map((line) => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)]
  })
}
