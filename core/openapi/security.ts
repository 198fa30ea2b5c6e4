/**
 * Makes secrets and hooks of an operation's security, for the first alternative that a skill can
 * satisfy. OpenAPI 3.1, Security Requirement Object: the list is OR, the members of one entry are
 * AND, and `{}` requires nothing.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../json/json.ts'
import { listOf, objectOf, textsOf } from './fields.ts'
import type { Operation } from './operation.ts'
import { resolved } from './references.ts'
import { leftOut, listed, type Remarks } from './remarks.ts'
import { NONE, type SecurityTerms, schemeOf, type ToolSecurity } from './security-scheme.ts'
import { STEPS_PER_SHARED, spendOn, stepsOf } from './work-budget.ts'

/** Returns the security; an error lists why no alternative can be satisfied. */
export function securityOf(
  document: JsonObject,
  operation: Operation,
  terms: SecurityTerms,
): Result<ToolSecurity, string> {
  const requirements = operation.raw['security'] ?? document['security']
  const alternatives = listOf(requirements).filter(isJsonObject)
  if (alternatives.length === 0) return ok(NONE)
  const reasons: string[] = []
  for (const alternative of alternatives) {
    const found = satisfyAlternative(document, alternative, terms)
    if (found.ok) {
      const others = alternatives.filter((one) => one !== alternative).map(listSchemes)
      noteOthers(terms.remarks, listSchemes(alternative), others, reasons)
      return found
    }
    reasons.push(found.error)
  }
  return err(`No skill can satisfy its security: ${[...new Set(reasons)].join('; ')}.`)
}

function listSchemes(alternative: JsonObject): string {
  return Object.keys(alternative).join(' and ') || 'no credential'
}

function noteOthers(
  { notes }: Remarks,
  one: string,
  others: readonly string[],
  reasons: readonly string[],
): void {
  if (others.length === 0) return
  const why = reasons.length === 0 ? '' : ` (${[...new Set(reasons)].join('; ')})`
  notes.push(`Of its security ${one} is used; left out: ${listed(others)}${why}.`)
}

const ONE_TOKEN = 'a request has one token, that of the scheme before'

function satisfyAlternative(
  document: JsonObject,
  alternative: JsonObject,
  terms: SecurityTerms,
): Result<ToolSecurity, string> {
  const notes: string[] = []
  let all = NONE
  for (const [index, [name, scopes]] of Object.entries(alternative).entries()) {
    const scheme = findScheme(document, name)
    // Each scheme is compared with all previous ones.
    spendOn(document, STEPS_PER_SHARED * index + stepsOf(scheme))
    if (scheme === undefined) return err(`the scheme ${name} is not defined`)
    const one = schemeOf(scheme, { ...terms, name, scopes: textsOf(scopes) })
    if (!one.ok) return one
    if (isBearer(all) && isBearer(one.value)) notes.push(leftOut(`The token of ${name}`, ONE_TOKEN))
    const joined = combine(all, one.value)
    if (joined === undefined) return err(`the scheme ${name} takes a place that another one has`)
    all = joined
  }
  const fault = terms.judge(membersOf(all))
  if (fault !== undefined) return err(`${listSchemes(alternative)}: ${fault}`)
  terms.remarks.notes.push(...notes)
  return ok(all)
}

function findScheme(document: JsonObject, name: string): JsonObject | undefined {
  const schemes = objectOf(objectOf(document['components'])['securitySchemes'])
  return resolved(document, Object.hasOwn(schemes, name) ? schemes[name] : undefined)
}

/** Returns the security as members of a skill's config. */
export function membersOf({ config, headers, query }: ToolSecurity): JsonObject {
  return { ...config, headers, query }
}

/** Combines two schemes; undefined if both use the same place. */
function combine(a: ToolSecurity, b: ToolSecurity): ToolSecurity | undefined {
  const clash = (one: object, other: object) =>
    Object.keys(one).some((key) => Object.hasOwn(other, key))
  // A request has only one Authorization header, so one token serves both schemes.
  if (isBearer(a) && isBearer(b)) return { ...a, ...combine(a, { ...b, config: {}, secrets: [] }) }
  if (clash(a.config, b.config) || clash(a.headers, b.headers) || clash(a.query, b.query)) {
    return undefined
  }
  return {
    config: { ...a.config, ...b.config },
    headers: { ...a.headers, ...b.headers },
    query: { ...a.query, ...b.query },
    secrets: [...a.secrets, ...b.secrets],
  }
}

function isBearer({ config }: ToolSecurity): boolean {
  return objectOf(config['auth'])['type'] === 'bearer'
}
