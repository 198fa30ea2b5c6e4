/**
 * Matches kept resources with logical ids of the data stack, for the file that `cdk import
 * --resource-mapping` reads. CloudFormation named tables, buckets and secrets after their logical
 * ids; a key has no name, so there must be only one.
 */

export type Resources = { readonly [logicalId: string]: { readonly Type: string } }

/** Maps a logical id to the property by which CloudFormation imports a resource of its type. */
export type Mapping = { readonly [logicalId: string]: { readonly [property: string]: string } }

export type Matched =
  | { readonly ok: true; readonly mapping: Mapping }
  /** A line for each resource that is not listed exactly once. */
  | { readonly ok: false; readonly faults: readonly string[] }

type KeptResource = { readonly arn: string; readonly identifier: Mapping[string] }
type Match = (arn: string, logicalId: string, stack: string) => Mapping[string] | undefined

/**
 * Matches `arn:partition:service:region:account:resource`; a bucket's ARN has neither region nor
 * account.
 */
const RESOURCE_OF_ARN = /^arn:[\w-]+:(\w+):[\w-]*:(?:\d{12})?:(.+)$/
/**
 * The text that CloudFormation adds after a logical id to make a name. The name of a restored copy
 * of a table is longer.
 */
const SUFFIX = '[A-Za-z0-9]+'
/** The text that Secrets Manager adds after a name to make an ARN. */
const SECRET_ARN_SUFFIX = '[A-Za-z0-9]{6}'

/**
 * The types that outlive the stack. All others are deleted with it, and a deploy creates them
 * again.
 */
const MATCHES: { readonly [type: string]: Match } = {
  'AWS::DynamoDB::GlobalTable': (arn, logicalId, stack) => {
    const name = readResource(arn, 'dynamodb', `table/(${stack}-${logicalId}-${SUFFIX})`)
    return name === undefined ? undefined : { TableName: name }
  },
  'AWS::S3::Bucket': (arn, logicalId, stack) => {
    const name = readResource(arn, 's3', `(${`${stack}-${logicalId}`.toLowerCase()}-${SUFFIX})`)
    return name === undefined ? undefined : { BucketName: name }
  },
  'AWS::KMS::Key': (arn) => {
    const id = readResource(arn, 'kms', 'key/([\\w-]+)')
    return id === undefined ? undefined : { KeyId: id }
  },
  'AWS::SecretsManager::Secret': (arn, logicalId) => {
    const name = `secret:(${logicalId}-${SUFFIX})-${SECRET_ARN_SUFFIX}`
    return readResource(arn, 'secretsmanager', name) === undefined ? undefined : { Id: arn }
  },
}

/**
 * Returns the mapping, or an error line for each resource. `arns` may contain resources of other
 * stacks, which are left out.
 */
export function matchResources(
  stack: string,
  resources: Resources,
  arns: readonly string[],
): Matched {
  const faults: string[] = []
  const mapping: { [logicalId: string]: Mapping[string] } = {}
  for (const [logicalId, { Type }] of Object.entries(resources)) {
    if (!(Type in MATCHES)) continue
    const [first, ...others] = findKept(Type, logicalId, { stack, arns })
    if (first !== undefined && others.length === 0) mapping[logicalId] = first.identifier
    else if (first === undefined) faults.push(`${logicalId} (${Type}): is not in the list`)
    else faults.push(explainSeveral(logicalId, Type, [first, ...others]))
  }
  return faults.length === 0 ? { ok: true, mapping } : { ok: false, faults }
}

function findKept(
  type: string,
  logicalId: string,
  { arns, stack }: { readonly arns: readonly string[]; readonly stack: string },
): readonly KeptResource[] {
  return [...new Set(arns)].flatMap((arn) => {
    const identifier = MATCHES[type]?.(arn, logicalId, stack)
    return identifier === undefined ? [] : [{ arn, identifier }]
  })
}

function explainSeveral(logicalId: string, type: string, kept: readonly KeptResource[]): string {
  const found = kept.map(({ arn }) => arn).join(' ')
  return `${logicalId} (${type}): is in the list ${kept.length} times; keep only the one to import: ${found}`
}

/** Returns the group of `pattern`, if the ARN is of the service and its resource matches. */
function readResource(arn: string, service: string, pattern: string): string | undefined {
  const [, ofService, resource = ''] = RESOURCE_OF_ARN.exec(arn) ?? []
  return ofService === service ? new RegExp(`^${pattern}$`).exec(resource)?.[1] : undefined
}
