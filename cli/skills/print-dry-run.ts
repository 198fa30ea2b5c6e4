/**
 * Prints what a call would do, for people: problems first, then the request, and what the call
 * depends on.
 */
import { type Fields, toFields, toRows, toTexts } from '../gateway/admin-client.ts'
import { explainProblem } from '../gateway/explain-problem.ts'
import type { Shell } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'

export function printDryRun(shell: Shell, report: Fields): void {
  const lines = [
    ...toTexts(report['warnings']).map((warning) => `warning  ${warning}`),
    ...toRows(report['problems']).flatMap(formatProblem),
    ...toRows(report['hookRequests']).flatMap((request) => formatRequest('first', request)),
    ...(report['request'] === undefined
      ? []
      : formatRequest('request', toFields(report['request']))),
    ...toRows(report['secrets']).map(formatSecret),
    formatTarget(toFields(report['target'])),
    `breaker  ${toFields(report['breaker'])['state']}`,
    `price    ${report['price']}${formatLimits(toFields(report['limits']))}`,
    ...(report['sent'] === undefined ? [] : formatSent(toFields(report['sent']))),
  ]
  for (const line of lines) shell.out.write(`${toOneLine(line)}\n`)
}

function formatProblem({ code, detail, errors, remedy }: Fields): readonly string[] {
  const lines = toRows(errors).map(({ message, pointer }) => `         ${pointer} ${message}`)
  return [`refused  ${code}: ${toWords(detail, remedy)}`, ...lines]
}

/** The detail with what to do, in the words of the terminal. */
function toWords(detail: unknown, shown: unknown): string {
  const explained = explainProblem(String(detail), shown)
  return [explained.detail, explained.remedy ?? ''].join(' ').trimEnd()
}

function formatRequest(
  head: string,
  { body, bodyBase64, bodyIsCut, headers, method, url }: Fields,
) {
  const named = toRows(headers).map(({ name, value }) => `         ${name}: ${value}`)
  const text = body ?? bodyBase64
  const cut = bodyIsCut === true ? ' …' : ''
  return [
    `${head.padEnd(7)}  ${method} ${url}`,
    ...named,
    ...(text === undefined ? [] : [`         ${text}${cut}`]),
  ]
}

function formatSecret({ detail, from, name, remedy, state }: Fields): string {
  const why = detail === undefined ? '' : `: ${toWords(detail, remedy)}`
  return `secret   ${name} ${state}${from === undefined ? '' : ` (${from})`}${why}`
}

function formatTarget({ addresses, allowed, origin, rule }: Fields): string {
  const named = toRows(addresses).map(({ address }) => String(address))
  const at = named.length === 0 ? '' : ` at ${named.join(', ')}`
  return `target   ${origin}${at}: ${allowed === true ? 'allowed' : 'refused'}, ${rule}`
}

function formatLimits({ callsPerMinute, credits, holds, holdsMax }: Fields): string {
  if (credits === undefined) return ''
  return `, of ${credits} credits; ${holds} of ${holdsMax} calls in flight, ${callsPerMinute} a minute and key`
}

function formatSent({ answer, durationMs, failure, result, resultUnits, sends }: Fields) {
  const { bytes, mediaType, start, status } = toFields(answer)
  const { code, detail } = toFields(failure)
  const content = toRows(toFields(result)['content']).map(({ text }) => String(text ?? ''))
  return [
    `sent     ${formatCount(toRows(sends))}, ${Math.round(Number(durationMs))} ms`,
    ...(status === undefined ? [] : [`answer   ${status} ${mediaType}, ${bytes} bytes`]),
    ...(start === undefined || failure === undefined ? [] : [`         ${start}`]),
    ...(code === undefined ? [] : [`failed   ${code}: ${detail}`]),
    ...content.map((text) => `result   ${text}`),
    ...(resultUnits === undefined ? [] : [`result   of ${resultUnits} characters`]),
  ]
}

function formatCount({ length }: readonly Fields[]): string {
  return length === 1 ? '1 request' : `${length} requests`
}
