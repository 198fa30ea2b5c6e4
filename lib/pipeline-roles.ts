/** Names of the roles by which a GitHub workflow deploys a stage, without the constructs that make them. */
import { STACKS_PREFIX } from './stack-names.ts'

/** The environment of GitHub whose jobs only plan. Its name follows that of the stage. */
export const PLAN_SUFFIX = '-plan'

/**
 * Preflight asks for a public URL of it: no function has this name, since those of a stage begin with
 * the name of its stack.
 */
export const NO_FUNCTION = 'skillgate-preflight-of-public-urls'

/** Names are fixed, because the workflow names its roles. */
export function toRoleName(stage: string, kind: 'Deploy' | 'Plan'): string {
  return `${STACKS_PREFIX}${stage}-${kind}`
}
