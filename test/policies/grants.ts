/**
 * The grants of all functions' roles, in a form that two releases have in common: without hashes of
 * logical ids, accounts and regions. And what an earlier release could do that grants no longer
 * allow. Knows the conditions by their values alone, and takes a condition for stricter than none.
 */
import type { Stage } from '../../lib/stage.ts'
import { statementsOfRole } from '../lib/expected-grants.ts'
import { type Resource, synthesize, type Template } from '../lib/synthesized.ts'

/** What one statement says about one action and one resource. */
export type Grant = {
  readonly action: string
  readonly resource: string
  readonly effect: 'Allow' | 'Deny'
  /** Values by operator and key: `StringEquals kms:EncryptionContext:owner`. */
  readonly conditions: { readonly [condition: string]: readonly string[] }
}

export type FunctionGrants = { readonly [functionName: string]: readonly Grant[] }

/** Synthesizes the stage: call it outside of tests. */
export function readGrants(stage: Stage): FunctionGrants {
  const { data, gateway } = synthesize(stage)
  return grantsOfTemplates(gateway, data)
}

export function grantsOfTemplates(gateway: Template, data: Template): FunctionGrants {
  const functions = Object.values(gateway.Resources).flatMap(({ Properties, Type }) => {
    const [, door] = /: the (\w+) door$/.exec(String(Properties?.['Description'])) ?? []
    const [role] = listOf(Reflect.get(Object(Properties?.['Role']), 'Fn::GetAtt'))
    if (Type !== 'AWS::Lambda::Function' || door === undefined) return []
    const statements = statementsOfRole(gateway, String(role))
    return [[door, statements.flatMap((one) => toGrants(one, { gateway, data }))] as const]
  })
  return Object.fromEntries(functions.toSorted(([one], [other]) => one.localeCompare(other)))
}

/**
 * The condition whose values stand alone: each is a key that a request may name. Values of others
 * are kept together, since one request may need several.
 */
const KEYS = 'ForAllValues:StringLike dynamodb:LeadingKeys'

type Templates = { readonly gateway: Template; readonly data: Template }

function toGrants(
  statement: { readonly [field: string]: unknown },
  templates: Templates,
): readonly Grant[] {
  const conditions = Object.fromEntries(
    Object.entries(Object(statement['Condition'] ?? {})).flatMap(([operator, tests]) =>
      Object.entries(Object(tests)).map(([key, values]) => [
        `${operator} ${key}`,
        listOf(values).map((value) => toText(value, templates.gateway, templates)),
      ]),
    ),
  )
  const { [KEYS]: keys, ...others } = conditions
  const each = keys === undefined ? [others] : keys.map((key) => ({ ...others, [KEYS]: [key] }))
  const effect = statement['Effect'] === 'Deny' ? 'Deny' : 'Allow'
  return listOf(statement['Action']).flatMap((action) =>
    listOf(statement['Resource']).flatMap((resource) =>
      each.map((one) => ({
        action: String(action),
        resource: toText(resource, templates.gateway, templates),
        effect,
        conditions: one,
      })),
    ),
  )
}

/** Writes a reference as type and name of its resource: `<DynamoDB::GlobalTable Gateway Arn>`. */
function toText(value: unknown, inside: Template, templates: Templates): string {
  if (typeof value === 'string') return value
  const [[kind, target] = ['', undefined]] = Object.entries(Object(value))
  switch (kind) {
    case 'Fn::GetStackOutput': {
      const output = templates.data.Outputs[String(Reflect.get(Object(target), 'OutputName'))]
      return toText(output?.Value, templates.data, templates)
    }
    case 'Fn::Join': {
      const [glue, parts] = listOf(target)
      return listOf(parts)
        .map((part) => toText(part, inside, templates))
        .join(String(glue))
    }
    case 'Fn::GetAtt': {
      const [id, attribute] = listOf(target)
      return nameResource(String(id), inside.Resources[String(id)], ` ${attribute}`)
    }
    case 'Ref': {
      const id = String(target)
      return id.startsWith('AWS::') ? `<${id}>` : nameResource(id, inside.Resources[id], '')
    }
  }
  throw new Error(`template: unknown reference ${JSON.stringify(value)}`)
}

function nameResource(id: string, resource: Resource | undefined, attribute: string): string {
  if (resource === undefined) throw new Error(`template: no resource ${id}`)
  return `<${resource.Type.replace(/^AWS::/, '')} ${id.replace(/[0-9A-F]{8}$/, '')}${attribute}>`
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/**
 * Returns the grants of `earlier` that `now` does not cover, as lines: what the earlier code of a
 * function, which a roll-back brings back, would be refused.
 */
export function findWithdrawn(earlier: FunctionGrants, now: FunctionGrants): readonly string[] {
  return Object.entries(earlier).flatMap(([name, grants]) => {
    const current = now[name] ?? []
    const lost = grants.filter((one) => one.effect === 'Allow' && !isCovered(one, current))
    const denied = current.filter((one) => one.effect === 'Deny' && !hasDenial(grants, one))
    return [...lost, ...denied].map((one) => describeGrant(name, one))
  })
}

function hasDenial(grants: readonly Grant[], denial: Grant): boolean {
  const text = describeGrant('', denial)
  return grants.some((one) => describeGrant('', one) === text)
}

function isCovered(grant: Grant, current: readonly Grant[]): boolean {
  return current.some(
    (one) =>
      one.effect === 'Allow' &&
      one.action === grant.action &&
      (one.resource === grant.resource || one.resource === '*') &&
      Object.entries(one.conditions).every(([condition, values]) =>
        isAsWide(condition, values, grant.conditions[condition]),
      ),
  )
}

/** Tells whether a condition lets through what the one of the earlier release let through. */
function isAsWide(
  condition: string,
  values: readonly string[],
  earlier: readonly string[] | undefined,
): boolean {
  if (earlier === undefined) return false
  if (condition !== KEYS) return earlier.every((value) => values.includes(value))
  return earlier.every((value) => values.some((one) => isWithin(value, one)))
}

/** Tells whether a pattern that ends in an asterisk, or has none, has all that `value` has. */
function isWithin(value: string, pattern: string): boolean {
  return value === pattern || (pattern.endsWith('*') && value.startsWith(pattern.slice(0, -1)))
}

export function describeGrant(
  name: string,
  { action, conditions, effect, resource }: Grant,
): string {
  const limits = Object.entries(conditions).map(
    ([condition, values]) => ` [${condition}: ${values.join(', ')}]`,
  )
  return `${name} ${effect === 'Deny' ? 'denied ' : ''}${action} on ${resource}${limits.join('')}`
}
