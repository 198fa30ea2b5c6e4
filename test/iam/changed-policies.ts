/**
 * Every policy that differs from a given one by one part: narrower ones, which must refuse a request that
 * functions send, and wider ones, which must allow a request that they must not send.
 */
import type { Condition, Statement } from './policy.ts'

export type ChangedPolicy = {
  /** What was taken away, for the message of a failed test. */
  readonly without: string
  readonly statements: readonly Statement[]
}

/** Without one statement, one action, one resource, or one value of a condition over a list. */
export function narrowed(policy: readonly Statement[]): readonly ChangedPolicy[] {
  return policy.flatMap((statement, index) => {
    const replaced = (by: readonly Statement[]) => policy.toSpliced(index, 1, ...by)
    const name = nameOf(statement)
    const withoutAction = statement.actions.map((action) => ({
      without: `${action} of ${name}`,
      statements: replaced([
        { ...statement, actions: statement.actions.filter((one) => one !== action) },
      ]),
    }))
    const withoutResource = statement.resources.map((resource) => ({
      without: `${resource} of ${name}`,
      statements: replaced([
        { ...statement, resources: statement.resources.filter((one) => one !== resource) },
      ]),
    }))
    const withoutValue = statement.conditions.flatMap((condition) =>
      condition.operator.startsWith('ForAllValues:')
        ? condition.values.map((value) => ({
            without: `${value} of ${name}, ${condition.key}`,
            statements: replaced([withCondition(statement, withoutOne(condition, value))]),
          }))
        : [],
    )
    return [
      { without: name, statements: replaced([]) },
      ...withoutAction,
      ...withoutResource,
      ...withoutValue,
    ]
  })
}

/** Without one test of one condition key. */
export function widened(policy: readonly Statement[]): readonly ChangedPolicy[] {
  return policy.flatMap((statement, index) =>
    statement.conditions.map((condition) => {
      const conditions = statement.conditions.filter((one) => one !== condition)
      return {
        without: `${condition.operator} ${condition.key} of ${nameOf(statement)}`,
        statements: policy.toSpliced(index, 1, { ...statement, conditions }),
      }
    }),
  )
}

function withCondition(statement: Statement, changed: Condition): Statement {
  const conditions = statement.conditions.map((one) =>
    one.operator === changed.operator && one.key === changed.key ? changed : one,
  )
  return { ...statement, conditions }
}

function withoutOne(condition: Condition, value: string): Condition {
  return { ...condition, values: condition.values.filter((one) => one !== value) }
}

function nameOf({ actions, resources, conditions }: Statement): string {
  const values = conditions.flatMap((one) => one.values).filter((value) => value.length > 5)
  return `${actions.join('+')} on ${resources.join('+')} (${values.join(' ')})`
}
