/**
 * A skill and its arguments to one upstream request, in two steps (design section 4, Skill config).
 * First, before money moves: `{name}` places of the endpoint, templates, and the other arguments to
 * the query (GET, HEAD, DELETE) or the JSON body. Then, once the secrets are there: `complete`.
 * What the author has fixed no argument changes; no secret is in the path. Sends nothing; which host
 * may be called is for check-target.ts.
 */
import { err, type FieldFault, ok, type Result, refuse } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { Skill } from '../skills/skill.ts'
import type { Template } from '../skills/template.ts'
import { authPairs } from './auth-pairs.ts'
import { bodyEncodingOf, draftBody } from './draft-body.ts'
import { argNamesOf } from './draft-names.ts'
import { fillEndpoint } from './fill-endpoint.ts'
import { type Filled, fillPair, finish, hasSecret, plain } from './fill-template.ts'
import type { UpstreamRequest } from './upstream.ts'

/** Characters of the URL: what common servers still take (nginx 8 k for the request line). */
export const URL_CHARS_MAX = 8000

export type Callable = Pick<
  Skill,
  'auth' | 'body' | 'endpoint' | 'headers' | 'method' | 'query' | 'responseAs'
>

/** By name; every secret that the draft asks for must be in it. */
export type SecretValues = ReadonlyMap<string, string>

/** `secret` is the name of the one that does not fit where it is to go. */
export type SecretMisfit = { readonly secret: string; readonly detail: string }

export type RequestDraft = {
  /** As far as arguments say: what check-target.ts may judge before money moves. */
  readonly url: string
  complete(secrets: SecretValues): Result<UpstreamRequest, SecretMisfit>
}

const ACCEPT: { readonly [as in Skill['responseAs']]: string } = {
  auto: 'application/json, text/*;q=0.9, */*;q=0.1',
  json: 'application/json',
  text: 'text/plain, text/*;q=0.9, */*;q=0.1',
  mcp: 'application/json',
}
/** Visible ASCII, spaces and tabs inside (RFC 9110 5.5, without obs-text). */
const HEADER_VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/

type Pair = readonly [name: string, value: Filled]

/** Refuses with `invalid_arguments` (pointers into the arguments). */
export function draftRequest(
  skill: Callable,
  args: JsonObject,
  userAgent = 'Skillgate',
): Result<RequestDraft> {
  const endpoint = fillEndpoint(skill.endpoint, args)
  if (!endpoint.ok) return refused(endpoint.error)
  const { base, used, query: ownQuery } = endpoint.value
  const named = argNamesOf(skill)
  const rest = Object.entries(args).filter(([name]) => !used.has(name) && !named.has(name))
  const headers = headerPairs(skill, args)
  if (!headers.ok) return refused(headers.error)
  const inQuery = takesQuery(skill.method)
  const query = queryPairs(skill, ownQuery, args, inQuery ? rest : [])
  const type = headers.value.find(([name]) => name === 'content-type')?.[1]
  const encoding = bodyEncodingOf(type === undefined ? undefined : finish(type, NO_SECRETS))
  const body = draftBody(skill, args, inQuery ? undefined : rest, encoding)
  const own: Pair[] = [
    ['accept', plain(ACCEPT[skill.responseAs])],
    ['user-agent', plain(userAgent)],
    ...(body === undefined ? [] : [['content-type', plain(body.contentType)] as const]),
  ]
  const pairs = { headers: [...own, ...headers.value], query: query.pairs }
  const draft = { skill, base, ownQuery: query.own, ...pairs, body }
  const url = urlOf(draft, pairs.query, NO_SECRETS)
  if (url.length > URL_CHARS_MAX) {
    const message = `make a URL of over ${URL_CHARS_MAX} characters; shorten them`
    return refused([{ pointer: '', message }])
  }
  return ok({ url, complete: (secrets) => complete(draft, secrets) })
}

type Draft = {
  readonly skill: Callable
  readonly base: string
  readonly ownQuery: string
  readonly headers: readonly Pair[]
  readonly query: readonly Pair[]
  readonly body: ReturnType<typeof draftBody>
}

const NO_SECRETS: SecretValues = new Map()

function complete(draft: Draft, secrets: SecretValues): Result<UpstreamRequest, SecretMisfit> {
  const { body, skill } = draft
  const auth = authPairs(skill.auth)
  const misfit = [...draft.headers, ...auth.headers].find(
    ([, value]) => hasSecret(value) && !HEADER_VALUE.test(finish(value, secrets)),
  )
  if (misfit !== undefined) return err(misfitOf(misfit))
  const query = [...draft.query, ...auth.query]
  const headers = [...draft.headers, ...auth.headers]
  const sensitive = {
    headers: headers.filter(([, value]) => hasSecret(value)).map(([name]) => name),
    query: query.some(([, value]) => hasSecret(value)),
    body: body?.hasSecret ?? false,
  }
  const isSensitive = sensitive.headers.length > 0 || sensitive.query || sensitive.body
  return ok({
    method: skill.method,
    url: urlOf(draft, query, secrets),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, finish(value, secrets)])),
    body: body?.text(secrets),
    ...(isSensitive ? { sensitive } : {}),
  })
}

function misfitOf([name, value]: Pair): SecretMisfit {
  const secret = value.find((piece) => typeof piece !== 'string')?.secret ?? ''
  const detail = `secret ${secret}: cannot be sent in the header ${name}, which takes visible ASCII only; set it anew`
  return { secret, detail }
}

function headerPairs(
  { headers }: Callable,
  args: JsonObject,
): Result<readonly Pair[], readonly FieldFault[]> {
  const pairs: Pair[] = []
  const faults: FieldFault[] = []
  for (const [name, template] of Object.entries(headers)) {
    const value = fillPair(template, args)
    if (value === undefined) continue
    if (HEADER_VALUE.test(finish(value, NO_SECRETS))) pairs.push([name, value])
    else faults.push(...headerFaults(template, name))
  }
  return faults.length > 0 ? err(faults) : ok(pairs)
}

function headerFaults(template: Template, header: string): readonly FieldFault[] {
  const message = `goes into the header ${header}, which takes visible ASCII on one line`
  return template.flatMap((piece) =>
    piece.kind === 'arg' ? [{ pointer: `/${piece.name}`, message }] : [],
  )
}

function takesQuery(method: Skill['method']): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE'
}

/** The endpoint's own query and fixed pairs first; arguments of the same names are left out. */
function queryPairs(
  { query, auth }: Callable,
  own: string,
  args: JsonObject,
  rest: readonly (readonly [string, Json])[],
): { readonly own: string; readonly pairs: readonly Pair[] } {
  const fixed = Object.entries(query).flatMap(([name, template]) => queryPair(name, template, args))
  const taken = new Set([...new URLSearchParams(own).keys(), ...Object.keys(query)])
  if (auth?.type === 'query') taken.add(auth.name)
  const added = rest
    .filter(([name]) => !taken.has(name))
    .flatMap(([name, value]) => pairsOf(name, value))
  return { own, pairs: [...fixed, ...added] }
}

/** A place alone takes an argument as it would be taken without a template: arrays repeat the name. */
function queryPair(name: string, template: Template, args: JsonObject): readonly Pair[] {
  const [only, ...more] = template
  if (only?.kind === 'arg' && more.length === 0) {
    const value = Object.hasOwn(args, only.name) ? args[only.name] : undefined
    return value === undefined ? [] : pairsOf(name, value)
  }
  const filled = fillPair(template, args)
  return filled === undefined ? [] : [[name, filled]]
}

/** An array repeats the name; null means that nothing is sent; an object goes as JSON. */
function pairsOf(name: string, value: Json): readonly Pair[] {
  const items: readonly Json[] = Array.isArray(value) ? value : [value]
  return items
    .filter((item) => item !== null)
    .map((item) => [name, plain(typeof item === 'object' ? JSON.stringify(item) : String(item))])
}

function urlOf(
  { base, ownQuery }: Pick<Draft, 'base' | 'ownQuery'>,
  pairs: readonly Pair[],
  secrets: SecretValues,
): string {
  const added = pairs.map(([name, value]): [string, string] => [name, finish(value, secrets)])
  const query = [ownQuery, new URLSearchParams(added).toString()].filter((part) => part !== '')
  return query.length === 0 ? base : `${base}?${query.join('&')}`
}

function refused(faults: readonly FieldFault[]) {
  const [first] = faults
  const name = first?.pointer || 'They'
  return refuse(
    'invalid_arguments',
    `The arguments do not make a request: ${name} ${first?.message}.`,
    { faults },
  )
}
