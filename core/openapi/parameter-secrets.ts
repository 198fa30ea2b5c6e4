/**
 * Finds parameters with a credential: an Authorization header, an API key in a header or query. A
 * model has no credentials and must not see any, so each such parameter becomes a secret in the
 * plan.
 */
import type { JsonObject } from '../json/json.ts'
import { asObject, asText } from './fields.ts'
import type { Operation } from './operation.ts'
import { noteLeftOut } from './remarks.ts'
import type { SecurityTerms, ToolSecurity } from './security-scheme.ts'
import { spendDocumentSteps } from './work-budget.ts'

/** Matches `X-API-Key`, `access_token`, `clientSecret`; not `page_token` or `Idempotency-Key`. */
const KEY =
  /(?:^|[-_])(?:api|access|app|auth|client|secret|subscription|functions?|private|master|bearer)[-_]?(?:key|token|secret)$/i
const AUTHORIZATION = /^(?:x-)?authorization$/i
const PLACES: readonly unknown[] = ['header', 'query']

/** True if the parameter's name is one of a credential. */
export function isCredential(parameter: JsonObject): boolean {
  const name = asText(parameter['name'])
  if (name === undefined || !PLACES.includes(parameter['in'])) return false
  return KEY.test(name) || (parameter['in'] === 'header' && AUTHORIZATION.test(name))
}

/** Each secret gets a name, a note, and a check with the other secrets. */
const STEPS_PER_SECRET = 100

/** Adds a secret for each such parameter, unless the security already sends a credential there. */
export function withParameterSecrets(
  document: JsonObject,
  security: ToolSecurity,
  { parameters }: Operation,
  terms: SecurityTerms,
): ToolSecurity {
  const credentials = parameters.filter(isCredential)
  spendDocumentSteps(document, STEPS_PER_SECRET * credentials.length)
  // The lists are copied once, because an operation may have a thousand such parameters.
  const { headers, query, secrets } = security
  const result = {
    ...security,
    headers: { ...headers },
    query: { ...query },
    secrets: [...secrets],
  }
  for (const parameter of credentials) {
    const name = asText(parameter['name']) ?? ''
    const place = parameter['in'] === 'query' ? 'query' : 'headers'
    const what = `The ${String(parameter['in'])} parameter ${name}`
    const key = place === 'headers' ? name.toLowerCase() : name
    if (isTaken(result, place, key)) {
      terms.remarks.notes.push(noteLeftOut(what, 'its security sends a credential there'))
      continue
    }
    const { host, secretNames } = terms
    const secret = secretNames.nameOf({
      kind: 'parameter',
      scheme: `${place} ${key}`,
      host,
      label: key,
    })
    result[place][key] = `{{secrets.${secret.name}}}`
    result.secrets.push({ ...secret, what: describeContent(key) })
    terms.remarks.notes.push(`${what} is the secret ${secret.name}, not an argument.`)
  }
  return result
}

function describeContent(name: string): string {
  return AUTHORIZATION.test(name)
    ? `value of the header ${name}, with its scheme, such as Bearer and a token`
    : `value of the parameter ${name}`
}

/** Bearer, basic and the OAuth hook all set the header Authorization. */
function isTaken(security: ToolSecurity, place: 'headers' | 'query', key: string): boolean {
  if (Object.hasOwn(security[place], key)) return true
  const { auth, plugin_hook: hook } = security.config
  const type = asObject(auth)['type']
  return (
    place === 'headers' &&
    key === 'authorization' &&
    (hook !== undefined || type === 'bearer' || type === 'basic')
  )
}
