/** Names of the roles by which a GitHub workflow deploys a stage, without the constructs that make them. */
import { STACKS_PREFIX } from './stack-names.ts'

/** The environment of GitHub whose jobs only plan. Its name follows that of the stage. */
export const PLAN_SUFFIX = '-plan'

/** Names are fixed, because the workflow names its roles. */
export function toRoleName(stage: string, kind: 'Deploy' | 'Plan'): string {
  return `${STACKS_PREFIX}${stage}-${kind}`
}
