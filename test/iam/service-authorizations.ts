/**
 * What the services behind the functions ask IAM about a request, by its `X-Amz-Target`: DynamoDB, DynamoDB
 * Streams, EventBridge, KMS and Secrets Manager. A request of any other service is an error. Bound by the pages that
 * condition-keys.ts and dynamodb-authorizations.ts name.
 */
import { dynamoAuthorizations } from './dynamodb-authorizations.ts'
import type { Authorization } from './evaluate.ts'

export type Account = { readonly region: string; readonly accountId: string }

export type ServiceName =
  | 'dynamodb'
  | 'dynamodb-streams'
  | 'events'
  | 'kms'
  | 'monitoring'
  | 'secretsmanager'

const TARGETS: { readonly [prefix: string]: ServiceName } = {
  DynamoDB_20120810: 'dynamodb',
  DynamoDBStreams_20120810: 'dynamodb-streams',
  AWSEvents: 'events',
  GraniteServiceVersion20100801: 'monitoring',
  TrentService: 'kms',
  secretsmanager: 'secretsmanager',
}

type Fields = { readonly [name: string]: unknown }

/** `DynamoDB_20120810.GetItem`, read. */
export function targetOf(header: string): { service: ServiceName; operation: string } {
  const [prefix = '', operation = ''] = header.split('.')
  const service = TARGETS[prefix]
  if (service === undefined) throw new Error(`iam: unknown service: ${header}`)
  return { service, operation }
}

/** `streamOf`: the stream that a shard iterator came from; a request with one names no stream. */
export function authorizationsOf(
  { service, operation }: { readonly service: ServiceName; readonly operation: string },
  body: Fields,
  account: Account,
  streamOf: (iterator: string) => string,
): readonly Authorization[] {
  const { region, accountId } = account
  switch (service) {
    case 'dynamodb':
      return dynamoAuthorizations(operation, body, (table, index) => {
        const arn = `arn:aws:dynamodb:${region}:${accountId}:table/${table}`
        return index === undefined ? arn : `${arn}/index/${index}`
      })
    case 'dynamodb-streams': {
      const resource =
        operation === 'GetRecords'
          ? streamOf(textAt(body, 'ShardIterator'))
          : textAt(body, 'StreamArn')
      return [{ action: `dynamodb:${operation}`, resource, context: {} }]
    }
    case 'events':
      return entriesOf(body).map((entry) => ({
        action: `events:${operation}`,
        resource: busArn(textAt(entry, 'EventBusName'), account),
        context: {},
      }))
    case 'kms':
      return [
        {
          action: `kms:${operation}`,
          resource: textAt(body, 'KeyId'),
          context: encryptionContext(body['EncryptionContext'] ?? {}),
        },
      ]
    case 'monitoring':
      return [{ action: `cloudwatch:${operation}`, resource: '*', context: {} }]
    case 'secretsmanager':
      return [
        {
          action: `secretsmanager:${operation}`,
          resource: secretArn(textAt(body, 'SecretId'), account),
          context: {},
        },
      ]
    default:
      return service satisfies never
  }
}

function encryptionContext(given: unknown): Authorization['context'] {
  const pairs = Object.entries(given ?? {}).map(([name, value]) => [name, String(value)] as const)
  const each = pairs.map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]])
  const names = pairs.map(([name]) => name)
  return {
    ...Object.fromEntries(each),
    ...(names.length === 0 ? {} : { 'kms:EncryptionContextKeys': names }),
  }
}

function secretArn(id: string, { region, accountId }: Account): string {
  return id.startsWith('arn:') ? id : `arn:aws:secretsmanager:${region}:${accountId}:secret:${id}`
}

/** Each entry of PutEvents names its own bus. */
function entriesOf({ Entries: entries }: Fields): readonly Fields[] {
  if (Array.isArray(entries) && entries.length > 0) return entries.map((one) => ({ ...one }))
  throw new Error('iam: a request without Entries')
}

function busArn(name: string, { region, accountId }: Account): string {
  return name.startsWith('arn:') ? name : `arn:aws:events:${region}:${accountId}:event-bus/${name}`
}

function textAt(body: Fields, name: string): string {
  const text = body[name]
  if (typeof text === 'string') return text
  throw new Error(`iam: a request without ${name}`)
}
