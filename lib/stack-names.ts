/**
 * What the command line knows of the stacks, too. Plain data: the CDK takes a second to load.
 */

/**
 * Every stack is `Skillgate-<stage>-<part>`, and CloudFormation begins the names of its functions so.
 */
export const STACKS_PREFIX = 'Skillgate-'

/** `part` is `Data`, `Gateway`, `Watch`, or a part that only some stages have. */
export function toStackName(stage: string, part: string): string {
  return `${STACKS_PREFIX}${stage}-${part}`
}

/** The output of the data stack that names its own Gateway table. */
export const OWN_TABLE_OUTPUT = 'GatewayTableName'

/** Parameters of the stacks Gateway and Watch: a Gateway table that was restored, and its stream. */
export const RESTORED_TABLE = 'RestoredGatewayTable'
export const RESTORED_STREAM = 'RestoredGatewayStream'

/**
 * How long a batch of the usage function waits for more records: pages and objects are fewer and
 * larger, and lists of all users' calls and sums are this much behind. A third of it costs $0.07
 * more for a million calls. A restore waits for the last batch.
 */
export const USAGE_WINDOW_SEC = 60

/**
 * The CDK's context that tells the templates the value of {@link RESTORED_TABLE}, so that functions
 * with another table are new versions. Commands of the clone give it.
 */
export const RESTORED_TABLE_CONTEXT = 'restoredTable'
