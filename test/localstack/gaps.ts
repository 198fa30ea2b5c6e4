/**
 * The features that each emulator lacks, with the reasons: the only list of them. The run prints
 * it, and a test that needs one is skipped with the reason in its name.
 */
import type { EmulatorName } from './emulator.ts'

export type Ability =
  | 'answers 429 at the URL of a stopped function'
  | 'changes a composite alarm'
  | 'deploys an alarm over metric math'
  | 'fills in the identity that IAM has proven'
  | 'keeps the settings of a table that an update does not name'
  | 'leaves punctuation out of a generated secret'
  | 'names a log group after its stack'
  | 'reads the outputs of another stack'
  | 'restores a table to a moment'
  | 'preloads awslambda into a published version'
  | 'refuses an unsigned request to a function URL with AWS_IAM'
  | 'reserves concurrency for a function of a stack'
  | 'rolls a failed change back'
  | 'streams the answer of a function URL'
  | 'updates a stack with the template that it has'
  | 'writes the lines of a function to the log group that it names'

type Gaps = { readonly [E in EmulatorName]: { readonly [A in Ability]?: string } }

const BY_THE_FRONT = 'doors.test.ts shows it with the deployed code under the runtime client'

const EXPORTS_INSTEAD =
  'it does not know Fn::GetStackOutput, so stacks there read exports; test/lib reads the templates of the others'

export const GAPS: Gaps = {
  localstack: {
    'answers 429 at the URL of a stopped function':
      'it refuses the request with 500, and calls nothing',
    'changes a composite alarm':
      'its CloudFormation makes them and leaves them as they are; test/lib reads the templates',
    'fills in the identity that IAM has proven': BY_THE_FRONT,
    'keeps the settings of a table that an update does not name':
      'its DynamoDB forgets bounds and protection; in restore.test.ts a proxy names them again',
    'reads the outputs of another stack': EXPORTS_INSTEAD,
    'refuses an unsigned request to a function URL with AWS_IAM': BY_THE_FRONT,
    'reserves concurrency for a function of a stack':
      'it ignores ReservedConcurrentExecutions, so again.test.ts makes the reservations by Lambda itself',
    'rolls a failed change back':
      'what it changed stays until the next deploy, so again.test.ts sees the calls after both',
    'restores a table to a moment':
      'its DynamoDB has no point-in-time recovery; in restore.test.ts a proxy makes the copy',
    'streams the answer of a function URL': BY_THE_FRONT,
    'updates a stack with the template that it has':
      'it wants one to be sent, so shift.test.ts and restore.test.ts see what the commands do when CloudFormation cannot be told',
    'writes the lines of a function to the log group that it names':
      'it writes them to /aws/lambda/NAME, so logs.test.ts brings them from there',
  },
  ministack: {
    'deploys an alarm over metric math':
      'its CloudFormation refuses them, so the watch stack is not deployed to it',
    'fills in the identity that IAM has proven': BY_THE_FRONT,
    'leaves punctuation out of a generated secret':
      'it does not read ExcludePunctuation, so the run gives the secrets new values',
    'names a log group after its stack': 'it names them /aws/cloudformation/…',
    'reads the outputs of another stack': EXPORTS_INSTEAD,
    'preloads awslambda into a published version':
      'its worker of a version has started without it, so shift.test.ts looks at aliases alone',
    'streams the answer of a function URL': BY_THE_FRONT,
  },
}

export function gapsOf(name: EmulatorName): readonly string[] {
  return Object.entries(GAPS[name]).map(([ability, why]) => `${ability}: ${why}`)
}

export function lacks(name: EmulatorName, ability: Ability): boolean {
  return GAPS[name][ability] !== undefined
}

/** ` (not on …: why)`, for the name of a test that is then skipped; empty when it runs. */
export function whyNot(name: EmulatorName, ability: Ability): string {
  const why = GAPS[name][ability]
  return why === undefined ? '' : ` (not on ${name}: ${why})`
}

/** The stacks that can be deployed there, as arguments of the CDK CLI. */
export function stacksOf(name: EmulatorName): readonly string[] {
  if (!lacks(name, 'deploys an alarm over metric math')) return ['--all']
  return ['Skillgate-emulated-Data', 'Skillgate-emulated-Gateway', '--exclusively']
}
