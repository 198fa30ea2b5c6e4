/**
 * Reads a pasted `curl …` line as a request. Options that only change what curl prints are ignored;
 * options that a skill cannot do are refused, and so are unknown ones: nothing is left out unsaid.
 */
import { toUsageFault } from '../../terminal/exit-code.ts'
import {
  type CurlDraft,
  type CurlPair,
  type CurlPart,
  FLAGS,
  IGNORED,
  IGNORED_VALUES,
  OPTIONS,
  REFUSED,
} from './curl-options.ts'
import { splitCurl } from './curl-words.ts'

export type CurlRequest = {
  readonly url: string
  readonly method: string
  readonly headers: readonly CurlPair[]
  /** The texts of `-d` and the like, joined with `&`. */
  readonly data: string | undefined
  /** True if the body is the content of a file. */
  readonly isDataFile: boolean
  readonly isJson: boolean
  readonly parts: readonly CurlPart[]
  /** `user:password`. */
  readonly user: string | undefined
  readonly bearer: string | undefined
  readonly cookies: string | undefined
}

/** Throws a usage fault for a text that is not one request. */
export function readCurl(text: string): CurlRequest {
  const draft: CurlDraft = {
    urls: [],
    method: undefined,
    headers: [],
    data: [],
    isDataFile: false,
    isJson: false,
    isGet: false,
    parts: [],
    user: undefined,
    bearer: undefined,
    cookies: undefined,
  }
  const words = splitCurl(text)
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith('-') || word === '-') draft.urls.push(word)
    else at += readOption(draft, word, words[at + 1])
  }
  return toRequest(draft)
}

/** Returns how many of the next words the option took. */
function readOption(draft: CurlDraft, word: string, next: string | undefined): 0 | 1 {
  const [name, attached] = word.startsWith('--') ? splitLong(word) : splitShort(word)
  const refused = REFUSED.get(name)
  if (refused !== undefined) throw toUsageFault(`curl ${name}: ${refused}`, 'Leave it out.')
  const flag = IGNORED.has(name) ? () => {} : FLAGS.get(name)
  if (flag !== undefined) {
    flag(draft, '')
    const isLast = attached === undefined || word.startsWith('--')
    // The rest of short options that are written together, as in `-sSL`.
    return isLast ? 0 : readOption(draft, `-${attached}`, next)
  }
  const option = IGNORED_VALUES.has(name) ? () => {} : OPTIONS.get(name)
  if (option === undefined) throw toUnknownFault(name)
  const value = attached ?? next
  if (value === undefined) throw toUsageFault(`curl ${name} has no value.`, 'Paste the whole line.')
  option(draft, value)
  return attached === undefined ? 1 : 0
}

function splitLong(word: string): readonly [string, string | undefined] {
  const [, name = word, value] = /^(--[\w.-]+)=(.*)$/s.exec(word) ?? []
  return [name, value]
}

function splitShort(word: string): readonly [string, string | undefined] {
  return [word.slice(0, 2), word.length > 2 ? word.slice(2) : undefined]
}

function toUnknownFault(name: string) {
  return toUsageFault(
    `curl ${name} is not an option that skills new knows.`,
    'Leave it out, if the call works without it.',
  )
}

function toRequest(draft: CurlDraft): CurlRequest {
  const [url, ...more] = draft.urls
  if (url === undefined) throw toUsageFault('The line has no URL.', 'Paste the whole line.')
  if (more.length > 0) {
    throw toUsageFault(`The line has ${draft.urls.length} URLs.`, 'Paste one request at a time.')
  }
  const data = draft.data.length === 0 ? undefined : draft.data.join('&')
  const isQuery = draft.isGet && data !== undefined
  return {
    ...draft,
    url: toFullUrl(isQuery ? `${url}${url.includes('?') ? '&' : '?'}${data}` : url),
    method: (draft.method ?? (hasBody(draft) ? 'POST' : 'GET')).toUpperCase(),
    data: isQuery ? undefined : data,
  }
}

function hasBody({ data, isDataFile, isGet, parts }: CurlDraft): boolean {
  return !isGet && (data.length > 0 || isDataFile || parts.length > 0)
}

function toFullUrl(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`
}
