/**
 * What a table has beside its data and keys, as the template says it and as DynamoDB says it, in one
 * form: a restored table has lost most of it. Pure. A property of a template that has no place in
 * this form is an error, so that no later setting of a table is forgotten by a restore.
 */

export type Scaling = { readonly min: number; readonly max: number; readonly targetPercent: number }

export type TableShape = {
  readonly keys: readonly string[]
  readonly ttlAttribute: string | undefined
  readonly stream: string | undefined
  readonly pointInTimeRecovery: boolean
  readonly deletionProtection: boolean
  readonly billing: 'on-demand' | 'provisioned'
  /** Most request units in a second on demand; undefined for no bound. */
  readonly writeUnitsMax: number | undefined
  readonly readUnitsMax: number | undefined
  readonly writeScaling: Scaling | undefined
  readonly readScaling: Scaling | undefined
  readonly tags: { readonly [name: string]: string }
}

export type Fields = { readonly [name: string]: unknown }

export function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function toList(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(toFields) : []
}

export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}

const TABLE_PROPERTIES: readonly string[] = [
  'AttributeDefinitions',
  'BillingMode',
  'KeySchema',
  'Replicas',
  'StreamSpecification',
  'TimeToLiveSpecification',
  'WriteOnDemandThroughputSettings',
  'WriteProvisionedThroughputSettings',
]
const REPLICA_PROPERTIES: readonly string[] = [
  'DeletionProtectionEnabled',
  'PointInTimeRecoverySpecification',
  'ReadOnDemandThroughputSettings',
  'ReadProvisionedThroughputSettings',
  'Region',
  'Tags',
]

/**
 * Reads the properties of an `AWS::DynamoDB::GlobalTable` in one region. Throws an Error that names
 * a property which this file does not know.
 */
export function readTemplateShape(properties: Fields): TableShape {
  const [replica = {}, ...others] = toList(properties['Replicas'])
  const unknown = [
    ...Object.keys(properties).filter((name) => !TABLE_PROPERTIES.includes(name)),
    ...Object.keys(replica).filter((name) => !REPLICA_PROPERTIES.includes(name)),
  ]
  if (unknown.length > 0) {
    throw new Error(`table: its template has ${unknown.join(', ')}, which a restore does not set`)
  }
  if (others.length > 0) throw new Error('table: has replicas, which a restore does not make')
  const ttl = toFields(properties['TimeToLiveSpecification'])
  const write = toFields(properties['WriteProvisionedThroughputSettings'])
  const read = toFields(replica['ReadProvisionedThroughputSettings'])
  return {
    keys: toList(properties['KeySchema']).map(formatKey),
    ttlAttribute: ttl['Enabled'] === true ? toText(ttl['AttributeName']) : undefined,
    stream: toText(toFields(properties['StreamSpecification'])['StreamViewType']),
    pointInTimeRecovery:
      toFields(replica['PointInTimeRecoverySpecification'])['PointInTimeRecoveryEnabled'] === true,
    deletionProtection: replica['DeletionProtectionEnabled'] === true,
    billing: properties['BillingMode'] === 'PROVISIONED' ? 'provisioned' : 'on-demand',
    writeUnitsMax: toCount(
      toFields(properties['WriteOnDemandThroughputSettings'])['MaxWriteRequestUnits'],
    ),
    readUnitsMax: toCount(
      toFields(replica['ReadOnDemandThroughputSettings'])['MaxReadRequestUnits'],
    ),
    writeScaling: readScaling(write['WriteCapacityAutoScalingSettings']),
    readScaling: readScaling(read['ReadCapacityAutoScalingSettings']),
    tags: readTags(replica['Tags']),
  }
}

export function formatKey({ AttributeName, KeyType }: Fields): string {
  return `${AttributeName} ${KeyType}`
}

export function readTags(tags: unknown): TableShape['tags'] {
  return Object.fromEntries(
    toList(tags)
      .map(({ Key, Value }) => [String(Key), String(Value)] as const)
      // Names that begin so belong to AWS and cannot be set.
      .filter(([name]) => !name.startsWith('aws:')),
  )
}

function readScaling(settings: unknown): Scaling | undefined {
  const { MaxCapacity, MinCapacity, TargetTrackingScalingPolicyConfiguration } = toFields(settings)
  const [min, max] = [toCount(MinCapacity), toCount(MaxCapacity)]
  const targetPercent = toCount(toFields(TargetTrackingScalingPolicyConfiguration)['TargetValue'])
  if (min === undefined || max === undefined || targetPercent === undefined) return undefined
  return { min, max, targetPercent }
}

export type Difference = {
  readonly name: keyof TableShape
  readonly wanted: unknown
  readonly actual: unknown
}

/**
 * Returns where the table differs from the template, billing before what depends on it. Tags that
 * only the table has are no difference.
 */
export function listDifferences(wanted: TableShape, actual: TableShape): readonly Difference[] {
  const tags = Object.fromEntries(
    Object.keys(wanted.tags).flatMap((name) => {
      const value = actual.tags[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const shown: TableShape = { ...actual, tags }
  return ORDER.filter((name) => !isSame(wanted[name], shown[name])).map((name) => ({
    name,
    wanted: wanted[name],
    actual: shown[name],
  }))
}

/** Every field, in the order in which differences are settled. */
const ORDER: readonly (keyof TableShape)[] = [
  'keys',
  'billing',
  'writeUnitsMax',
  'readUnitsMax',
  'writeScaling',
  'readScaling',
  'ttlAttribute',
  'stream',
  'pointInTimeRecovery',
  'deletionProtection',
  'tags',
]

function isSame(a: unknown, b: unknown): boolean {
  return toSortedText(a) === toSortedText(b)
}

function toSortedText(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return JSON.stringify(value) ?? 'none'
  }
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function formatDifference({ actual, name, wanted }: Difference): string {
  return `${name}: is ${JSON.stringify(actual) ?? 'none'}, and the template has ${JSON.stringify(wanted) ?? 'none'}`
}
