/**
 * A template as CloudFormation reads it with values for its parameters: each `Fn::If` is the branch that counts.
 * Conditions may be made of `Fn::Not`, `Fn::Equals` and parameters; any other is an error.
 */

export type ParameterValues = { readonly [name: string]: string }

type Fields = { readonly [name: string]: unknown }

type Scope = {
  readonly conditions: Fields
  readonly given: ParameterValues
  readonly defaults: { readonly [name: string]: { readonly Default?: unknown } }
}

/** Parameters without a value have their default. */
export function withParameters<T extends object>(template: T, given: ParameterValues = {}): T {
  const { Conditions = {}, Parameters = {} } = template as {
    readonly Conditions?: Fields
    readonly Parameters?: Scope['defaults']
  }
  return resolve(template, { conditions: Conditions, defaults: Parameters, given }) as T
}

function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(one, scope))
  if (typeof value !== 'object' || value === null) return value
  const [name, operand] = onlyEntry(value)
  if (name === 'Fn::If' && Array.isArray(operand)) {
    const [condition, then, otherwise] = operand
    return resolve(isTrue(scope.conditions[condition], scope) ? then : otherwise, scope)
  }
  if (name === 'Ref' && typeof operand === 'string' && operand in scope.given) {
    return scope.given[operand]
  }
  const entries = Object.entries(value).map(([key, one]) => [key, resolve(one, scope)])
  return Object.fromEntries(entries)
}

function isTrue(condition: unknown, scope: Scope): boolean {
  const [name, operands] = onlyEntry(condition)
  const [first, second]: readonly unknown[] = Array.isArray(operands) ? operands : []
  if (name === 'Fn::Not') return !isTrue(first, scope)
  if (name === 'Fn::Equals') return readOperand(first, scope) === readOperand(second, scope)
  throw new Error(`template: unknown condition ${JSON.stringify(condition)}`)
}

function readOperand(operand: unknown, { defaults, given }: Scope): unknown {
  if (typeof operand === 'string') return operand
  const name = String(Reflect.get(Object(operand), 'Ref'))
  return given[name] ?? defaults[name]?.Default
}

function onlyEntry(value: unknown): readonly [name: string, operand: unknown] {
  return Object.entries(Object(value))[0] ?? ['', undefined]
}
