/**
 * Which kept resource belongs to which logical id of the data stack: the file that `cdk import --resource-mapping`
 * reads. CloudFormation named tables, buckets and secrets after their logical ids when it made them; a key has no name, so
 * there must be one alone.
 */

export type Resources = { readonly [logicalId: string]: { readonly Type: string } }

/** Logical id to the property by which CloudFormation imports a resource of the type. */
export type Mapping = { readonly [logicalId: string]: { readonly [property: string]: string } }

export type Matched =
  | { readonly ok: true; readonly mapping: Mapping }
  /** A line for each resource of which there is not exactly one. */
  | { readonly ok: false; readonly faults: readonly string[] }

type Kept = { readonly arn: string; readonly identifier: Mapping[string] }
type Match = (arn: string, logicalId: string, stack: string) => Mapping[string] | undefined

/** `arn:partition:service:region:account:resource`; a bucket's names neither region nor account. */
const RESOURCE_OF_ARN = /^arn:[\w-]+:(\w+):[\w-]*:(?:\d{12})?:(.+)$/
/** What CloudFormation puts behind a logical id to make a name. A restored copy of a table has more behind it. */
const SUFFIX = '[A-Za-z0-9]+'
/** What Secrets Manager puts behind a name to make an ARN. */
const SECRET_ARN_SUFFIX = '[A-Za-z0-9]{6}'

/** The types that outlive the stack; all others go with it, and a deploy makes them again. */
const MATCHES: { readonly [type: string]: Match } = {
  'AWS::DynamoDB::GlobalTable': (arn, logicalId, stack) => {
    const name = resourceOf(arn, 'dynamodb', `table/(${stack}-${logicalId}-${SUFFIX})`)
    return name === undefined ? undefined : { TableName: name }
  },
  'AWS::S3::Bucket': (arn, logicalId, stack) => {
    const name = resourceOf(arn, 's3', `(${`${stack}-${logicalId}`.toLowerCase()}-${SUFFIX})`)
    return name === undefined ? undefined : { BucketName: name }
  },
  'AWS::KMS::Key': (arn) => {
    const id = resourceOf(arn, 'kms', 'key/([\\w-]+)')
    return id === undefined ? undefined : { KeyId: id }
  },
  'AWS::SecretsManager::Secret': (arn, logicalId) => {
    const name = `secret:(${logicalId}-${SUFFIX})-${SECRET_ARN_SUFFIX}`
    return resourceOf(arn, 'secretsmanager', name) === undefined ? undefined : { Id: arn }
  },
}

/** `arns` may hold resources of other stacks, which are left out. */
export function mappingOf(stack: string, resources: Resources, arns: readonly string[]): Matched {
  const faults: string[] = []
  const mapping: { [logicalId: string]: Mapping[string] } = {}
  for (const [logicalId, { Type }] of Object.entries(resources)) {
    if (!(Type in MATCHES)) continue
    const [first, ...others] = keptFor(Type, logicalId, { stack, arns })
    if (first !== undefined && others.length === 0) mapping[logicalId] = first.identifier
    else if (first === undefined) faults.push(`${logicalId} (${Type}): is not in the list`)
    else faults.push(severalOf(logicalId, Type, [first, ...others]))
  }
  return faults.length === 0 ? { ok: true, mapping } : { ok: false, faults }
}

function keptFor(
  type: string,
  logicalId: string,
  { arns, stack }: { readonly arns: readonly string[]; readonly stack: string },
): readonly Kept[] {
  return [...new Set(arns)].flatMap((arn) => {
    const identifier = MATCHES[type]?.(arn, logicalId, stack)
    return identifier === undefined ? [] : [{ arn, identifier }]
  })
}

function severalOf(logicalId: string, type: string, kept: readonly Kept[]): string {
  const found = kept.map(({ arn }) => arn).join(' ')
  return `${logicalId} (${type}): is in the list ${kept.length} times; keep only the one to import: ${found}`
}

/** The group of `pattern`, if the ARN is of the service and its resource is of that form. */
function resourceOf(arn: string, service: string, pattern: string): string | undefined {
  const [, ofService, resource = ''] = RESOURCE_OF_ARN.exec(arn) ?? []
  return ofService === service ? new RegExp(`^${pattern}$`).exec(resource)?.[1] : undefined
}
