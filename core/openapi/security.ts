/**
 * Makes secrets and hooks of an operation's security, for the first alternative that a skill can
 * satisfy. OpenAPI 3.1, Security Requirement Object: the list is OR, the members of one entry are
 * AND, and `{}` requires nothing.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../json/json.ts'
import { asList, asObject, asTexts } from './fields.ts'
import type { Operation } from './operation.ts'
import { resolveObject } from './references.ts'
import { joinNames, noteLeftOut, type Remarks } from './remarks.ts'
import {
  convertScheme,
  NO_SECURITY,
  type SecurityTerms,
  type ToolSecurity,
} from './security-scheme.ts'
import { countSteps, STEPS_PER_SHARED, spendDocumentSteps } from './work-budget.ts'

/** Returns the security; an error lists why no alternative can be satisfied. */
export function chooseSecurity(
  document: JsonObject,
  operation: Operation,
  terms: SecurityTerms,
): Result<ToolSecurity, string> {
  const requirements = operation.raw['security'] ?? document['security']
  const alternatives = asList(requirements).filter(isJsonObject)
  if (alternatives.length === 0) return ok(NO_SECURITY)
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
  notes.push(`Of its security ${one} is used; left out: ${joinNames(others)}${why}.`)
}

const ONE_TOKEN = 'a request has one token, that of the scheme before'

function satisfyAlternative(
  document: JsonObject,
  alternative: JsonObject,
  terms: SecurityTerms,
): Result<ToolSecurity, string> {
  const notes: string[] = []
  let all = NO_SECURITY
  for (const [index, [name, scopes]] of Object.entries(alternative).entries()) {
    const scheme = findScheme(document, name)
    // Each scheme is compared with all previous ones.
    spendDocumentSteps(document, STEPS_PER_SHARED * index + countSteps(scheme))
    if (scheme === undefined) return err(`the scheme ${name} is not defined`)
    const one = convertScheme(scheme, { ...terms, name, scopes: asTexts(scopes) })
    if (!one.ok) return one
    if (isBearer(all) && isBearer(one.value))
      notes.push(noteLeftOut(`The token of ${name}`, ONE_TOKEN))
    const joined = combine(all, one.value)
    if (joined === undefined) return err(`the scheme ${name} takes a place that another one has`)
    all = joined
  }
  const fault = terms.judge(toConfigMembers(all))
  if (fault !== undefined) return err(`${listSchemes(alternative)}: ${fault}`)
  terms.remarks.notes.push(...notes)
  return ok(all)
}

function findScheme(document: JsonObject, name: string): JsonObject | undefined {
  const schemes = asObject(asObject(document['components'])['securitySchemes'])
  return resolveObject(document, Object.hasOwn(schemes, name) ? schemes[name] : undefined)
}

/** Returns the security as members of a skill's config. */
export function toConfigMembers({ config, headers, query }: ToolSecurity): JsonObject {
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
  return asObject(config['auth'])['type'] === 'bearer'
}
