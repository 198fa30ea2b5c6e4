/** Names in the stacks that the command line knows, too. Plain data: the CDK takes a second to load. */

/**
 * Every stack is `Skillgate-<stage>-<part>`, and CloudFormation begins the names of its functions so.
 */
export const STACKS_PREFIX = 'Skillgate-'

/** The output of the data stack that names its own Gateway table. */
export const OWN_TABLE_OUTPUT = 'GatewayTableName'

/** Parameters of the stacks Gateway and Watch: a Gateway table that was restored, and its stream. */
export const RESTORED_TABLE = 'RestoredGatewayTable'
export const RESTORED_STREAM = 'RestoredGatewayStream'

/**
 * The CDK's context that tells the templates the value of {@link RESTORED_TABLE}, so that functions
 * with another table are new versions. Commands of the clone give it.
 */
export const RESTORED_TABLE_CONTEXT = 'restoredTable'
