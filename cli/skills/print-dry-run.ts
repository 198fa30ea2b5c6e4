/** What a call would do, for people: problems first, then the request, and what it depends on. */
import { type Fields, fieldsOf } from '../gateway/admin-client.ts'
import type { Shell } from '../terminal/shell.ts'
import { plain } from '../terminal/table.ts'

export function printDryRun(shell: Shell, told: Fields): void {
  const lines = [
    ...listOf(told['warnings']).map((warning) => `warning  ${warning}`),
    ...rowsOf(told['problems']).flatMap(problemLines),
    ...rowsOf(told['hookRequests']).flatMap((request) => requestLines('first', request)),
    ...(told['request'] === undefined ? [] : requestLines('request', fieldsOf(told['request']))),
    ...rowsOf(told['secrets']).map(secretLine),
    targetLine(fieldsOf(told['target'])),
    `breaker  ${fieldsOf(told['breaker'])['state']}`,
    `price    ${told['price']}${leftOf(fieldsOf(told['limits']))}`,
    ...(told['sent'] === undefined ? [] : sentLines(fieldsOf(told['sent']))),
  ]
  for (const line of lines) shell.out.write(`${plain(line)}\n`)
}

function problemLines({ code, detail, errors }: Fields): readonly string[] {
  const faults = rowsOf(errors).map(({ message, pointer }) => `         ${pointer} ${message}`)
  return [`refused  ${code}: ${detail}`, ...faults]
}

function requestLines(head: string, { body, bodyBase64, bodyIsCut, headers, method, url }: Fields) {
  const named = rowsOf(headers).map(({ name, value }) => `         ${name}: ${value}`)
  const text = body ?? bodyBase64
  const cut = bodyIsCut === true ? ' …' : ''
  return [
    `${head.padEnd(7)}  ${method} ${url}`,
    ...named,
    ...(text === undefined ? [] : [`         ${text}${cut}`]),
  ]
}

function secretLine({ detail, from, name, state }: Fields): string {
  const why = detail === undefined ? '' : `: ${detail}`
  return `secret   ${name} ${state}${from === undefined ? '' : ` (${from})`}${why}`
}

function targetLine({ addresses, allowed, origin, rule }: Fields): string {
  const named = rowsOf(addresses).map(({ address }) => String(address))
  const at = named.length === 0 ? '' : ` at ${named.join(', ')}`
  return `target   ${origin}${at}: ${allowed === true ? 'allowed' : 'refused'}, ${rule}`
}

function leftOf({ callsPerMinute, credits, holds, holdsMax }: Fields): string {
  if (credits === undefined) return ''
  return `, of ${credits} credits; ${holds} of ${holdsMax} calls in flight, ${callsPerMinute} a minute and key`
}

function sentLines({ answer, durationMs, failure, result, resultUnits, sends }: Fields) {
  const { bytes, mediaType, start, status } = fieldsOf(answer)
  const { code, detail } = fieldsOf(failure)
  const content = rowsOf(fieldsOf(result)['content']).map(({ text }) => String(text ?? ''))
  return [
    `sent     ${countOf(rowsOf(sends))}, ${Math.round(Number(durationMs))} ms`,
    ...(status === undefined ? [] : [`answer   ${status} ${mediaType}, ${bytes} bytes`]),
    ...(start === undefined || failure === undefined ? [] : [`         ${start}`]),
    ...(code === undefined ? [] : [`failed   ${code}: ${detail}`]),
    ...content.map((text) => `result   ${text}`),
    ...(resultUnits === undefined ? [] : [`result   of ${resultUnits} characters`]),
  ]
}

function countOf({ length }: readonly Fields[]): string {
  return length === 1 ? '1 request' : `${length} requests`
}

function rowsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
