/**
 * Splits a pasted `curl …` line into its words, as bash does. Variables stay as `$NAME`. What only
 * Windows understands, and lines with more than one command, are refused.
 */
import { parse } from 'shell-quote'
import { toUsageFault } from '../../terminal/exit-code.ts'

/** Most characters of a pasted line. A browser copies a body whole. */
export const CURL_CHARS_MAX = 1_000_000

/** Returns the words after `curl`. Throws a usage fault for another text. */
export function splitCurl(text: string): readonly string[] {
  if (text.length > CURL_CHARS_MAX) {
    const fault = `The line has ${text.length} characters; ${CURL_CHARS_MAX} at most.`
    throw toUsageFault(fault, 'Paste it with a shorter body.')
  }
  const line = text.trim().replace(/^[$%>]\s+/, '')
  if (!/^curl(?:\.exe)?\s/i.test(line))
    throw toUsageFault('The text does not begin with curl.', 'Paste a line that begins with curl.')
  if (/\^\s*\r?\n|\^"/.test(line)) {
    const remedy = 'In the browser, choose Copy as cURL (bash).'
    throw toUsageFault('The line is quoted for the command prompt of Windows (^).', remedy)
  }
  if (/`\s*\r?\n/.test(line)) {
    throw toUsageFault('The line is quoted for PowerShell (`).', 'Paste it as for bash.')
  }
  const words: string[] = []
  for (const entry of parse(line.replaceAll(/\\\r?\n/g, ' '), (name) => `$${name}`)) {
    if (typeof entry === 'string') words.push(entry)
    else if ('comment' in entry) break
    else if (entry.op === 'glob') words.push('pattern' in entry ? entry.pattern : '')
    // What the answer is piped into does not belong to the request.
    else if (entry.op === '|' || entry.op.startsWith('>')) break
    else throw toOperatorFault(entry.op)
  }
  return words.slice(1)
}

function toOperatorFault(operator: string) {
  return toUsageFault(
    `The line has ${operator} outside of quotes.`,
    operator === '&' ? 'Put the URL in quotes.' : 'Paste one curl command alone.',
  )
}
