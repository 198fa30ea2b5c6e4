/**
 * Reads the statements of an IAM policy into data that evaluate.ts can judge. Knows what the templates of this
 * repository use, and throws for everything else, so that no condition is ever passed over. Bound by the IAM
 * User Guide, "IAM JSON policy elements: Condition operators" and "Single-valued vs. multivalued context keys".
 */
import { hasConditionKey, isKnownAction, isList } from './condition-keys.ts'

export type Condition = {
  /** As it is written: `ForAllValues:StringLike`. */
  readonly operator: Operator
  readonly key: string
  /** Any of them is enough. */
  readonly values: readonly string[]
}

export type Statement = {
  readonly actions: readonly string[]
  /** Each may have `*` and `?`. */
  readonly resources: readonly string[]
  /** All of them must hold. */
  readonly conditions: readonly Condition[]
  /** What it covers is refused, whatever other statements allow. */
  readonly isDenial?: true
}

const OPERATORS = [
  'StringEquals',
  'StringLike',
  'Bool',
  'Null',
  'ForAllValues:StringEquals',
  'ForAllValues:StringLike',
] as const

export type Operator = (typeof OPERATORS)[number]

const ELEMENTS = ['Sid', 'Effect', 'Action', 'Resource', 'Condition']

/** `statements` as in a policy document, with every ARN resolved to a text. */
export function readStatements(statements: readonly unknown[]): readonly Statement[] {
  return statements.map(readStatement)
}

function readStatement(raw: unknown): Statement {
  const statement = recordOf(raw, 'statement')
  for (const element of Object.keys(statement)) {
    if (!ELEMENTS.includes(element)) throw unknown(`element ${element}`, raw)
  }
  const effect = statement['Effect']
  // A denial with conditions needs another reading of transactions: there the strict one is not all
  // keys at once.
  if (effect !== 'Allow' && (effect !== 'Deny' || statement['Condition'] !== undefined)) {
    throw unknown('effect', raw)
  }
  const actions = textsOf(statement['Action'])
  for (const action of actions) if (!isKnownAction(action)) throw unknown(`action ${action}`, raw)
  const conditions = Object.entries(recordOf(statement['Condition'] ?? {}, 'Condition')).flatMap(
    ([operator, tests]) => readConditions(operator, recordOf(tests, operator)),
  )
  for (const condition of conditions) judgeCondition(actions, condition)
  const read = { actions, resources: textsOf(statement['Resource']), conditions }
  return effect === 'Deny' ? { ...read, isDenial: true } : read
}

function readConditions(
  name: string,
  tests: { readonly [key: string]: unknown },
): readonly Condition[] {
  const operator = OPERATORS.find((one) => one === name)
  if (operator === undefined) throw unknown(`condition operator ${name}`, tests)
  return Object.entries(tests).map(([key, values]) => ({ operator, key, values: textsOf(values) }))
}

function judgeCondition(actions: readonly string[], condition: Condition): void {
  const { operator, key, values } = condition
  const keyless = actions.filter((action) => !hasConditionKey(action, key))
  if (keyless.length > 0) throw unknown(`condition key ${key} for ${keyless.join(', ')}`, condition)
  // A policy variable is replaced before the comparison, which is not imitated here.
  if (values.some((value) => value.includes('${'))) throw unknown('policy variable', condition)
  const isSet = operator.startsWith('ForAllValues:')
  if (operator !== 'Null' && isSet !== isList(key)) {
    throw unknown(`use of ${operator} with ${key}`, condition)
  }
  const isFlag = operator === 'Null' || operator === 'Bool'
  if (isFlag && !values.every((value) => value === 'true' || value === 'false')) {
    throw unknown(`value of ${operator}`, condition)
  }
}

function textsOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map((one) => {
    if (typeof one === 'string') return one
    throw unknown('value', value)
  })
}

function recordOf(value: unknown, name: string): { readonly [field: string]: unknown } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw unknown(name, value)
}

function unknown(part: string, shown: unknown): Error {
  return new Error(`policy: unknown ${part} in ${JSON.stringify(shown)}`)
}
