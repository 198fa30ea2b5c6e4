/**
 * A skill and its arguments to one upstream request (design section 4, Skill config, default
 * mapping): `{name}` places first, then fixed pairs, then the other arguments to the query (GET,
 * HEAD, DELETE) or the JSON body. Sends nothing; which host may be called is for check-target.ts.
 */
import { type FieldFault, ok, type Result, refuse } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { Skill } from '../skills/skill.ts'
import { fillEndpoint } from './fill-endpoint.ts'
import type { UpstreamRequest } from './upstream.ts'

/** Characters of the URL: what common servers still take (nginx 8 k for the request line). */
export const URL_CHARS_MAX = 8000

type Callable = Pick<Skill, 'endpoint' | 'method' | 'headers' | 'query' | 'responseAs'>

const ACCEPT: { readonly [as in Skill['responseAs']]: string } = {
  auto: 'application/json, text/*;q=0.9, */*;q=0.1',
  json: 'application/json',
  text: 'text/plain, text/*;q=0.9, */*;q=0.1',
}

/**
 * Refuses with `invalid_arguments` (pointers into the arguments). The skill's own headers win over
 * ours, its fixed query over arguments of the same name: an argument never changes what the author
 * has fixed.
 */
export function toRequest(
  skill: Callable,
  args: JsonObject,
  userAgent = 'Skillgate',
): Result<UpstreamRequest> {
  const filled = fillEndpoint(skill.endpoint, args)
  if (!filled.ok) return refused(filled.error)
  const { base, used } = filled.value
  const rest = Object.entries(args).filter(([name]) => !used.has(name))
  const inQuery = takesQuery(skill.method)
  const query = queryText(skill, filled.value.query, inQuery ? rest : [])
  const url = query === '' ? base : `${base}?${query}`
  if (url.length > URL_CHARS_MAX) {
    const message = `make a URL of over ${URL_CHARS_MAX} characters; shorten them`
    return refused([{ pointer: '', message }])
  }
  return ok({
    method: skill.method,
    url,
    headers: {
      accept: ACCEPT[skill.responseAs],
      'user-agent': userAgent,
      ...(inQuery ? {} : { 'content-type': 'application/json' }),
      ...skill.headers,
    },
    body: inQuery ? undefined : JSON.stringify(Object.fromEntries(rest)),
  })
}

function takesQuery(method: Skill['method']): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'DELETE'
}

function queryText(
  skill: Callable,
  ownQuery: string,
  args: readonly (readonly [string, Json])[],
): string {
  const fixed = new URLSearchParams(Object.entries(skill.query))
  const taken = new Set([...new URLSearchParams(ownQuery).keys(), ...fixed.keys()])
  const added = new URLSearchParams(
    args.filter(([name]) => !taken.has(name)).flatMap(([name, value]) => pairsOf(name, value)),
  )
  return [ownQuery, fixed.toString(), added.toString()].filter((part) => part !== '').join('&')
}

/** An array repeats the name; null means that nothing is sent; an object goes as JSON. */
function pairsOf(name: string, value: Json): [string, string][] {
  const items: readonly Json[] = Array.isArray(value) ? value : [value]
  return items
    .filter((item) => item !== null)
    .map((item) => [name, typeof item === 'object' ? JSON.stringify(item) : String(item)])
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
