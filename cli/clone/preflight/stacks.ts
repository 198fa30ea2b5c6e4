/** Judges whether the stacks of a stage are in states in which a deploy can begin. */
import type { StackState } from './deployed-stage.ts'
import type { AccountFacts } from './facts.ts'

/** Returns a fault for each stack that would refuse a deploy, with the remedy. */
export function findStackFaults({ stacks }: AccountFacts): readonly string[] {
  if (stacks.kind === 'unknown') return []
  return stacks.value.flatMap((stack) => {
    const remedy = findRemedy(stack)
    return remedy === undefined ? [] : [`stack: ${stack.name} is ${stack.status}. ${remedy}`]
  })
}

function findRemedy({ isProtected, name, status }: StackState): string | undefined {
  // A change set that was never executed is replaced by the next one.
  if (status === 'REVIEW_IN_PROGRESS') return undefined
  if (status.endsWith('_IN_PROGRESS')) {
    return 'Something else changes it now; wait until that has ended, and run this again.'
  }
  if (status === 'UPDATE_ROLLBACK_FAILED') return `Run: npx cdk rollback ${name}`
  if (status === 'DELETE_FAILED') return 'Look up why in its events, and delete it again.'
  // The CDK deletes a stack whose first create failed, and creates it again.
  const isReplaced = status === 'ROLLBACK_COMPLETE' || status === 'ROLLBACK_FAILED'
  if (!isReplaced || !isProtected) return undefined
  return `Its first create failed, and it is protected from the delete that has to come first. Run: aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${name}`
}
