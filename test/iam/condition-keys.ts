/**
 * The condition keys that a request for each action has, as AWS lists them in the Service Authorization
 * Reference: "Actions, resources, and condition keys for" Amazon DynamoDB, Amazon EventBridge, AWS KMS, AWS Lambda, AWS STS, AWS Secrets
 * Manager, Amazon S3 and Amazon CloudWatch Logs. Only the actions and keys that these tests know: a policy with any other
 * is refused, because a condition on a key that no request has would never hold, or always.
 */

const ON_READ = ['Attributes', 'ReturnConsumedCapacity', 'Select']
const ON_WRITE = ['Attributes', 'LeadingKeys', 'ReturnConsumedCapacity', 'ReturnValues']

const DYNAMODB: { readonly [action: string]: readonly string[] } = {
  GetItem: [...ON_READ, 'LeadingKeys', 'EnclosingOperation'],
  BatchGetItem: [...ON_READ, 'LeadingKeys'],
  Query: [...ON_READ, 'LeadingKeys', 'ReturnValues'],
  Scan: [...ON_READ, 'ReturnValues'],
  PutItem: [...ON_WRITE, 'EnclosingOperation'],
  UpdateItem: [...ON_WRITE, 'EnclosingOperation'],
  DeleteItem: [...ON_WRITE, 'EnclosingOperation'],
  ConditionCheckItem: ON_WRITE,
  DescribeStream: [],
  GetRecords: [],
  GetShardIterator: [],
  ListStreams: [],
}

/** `kms:EncryptionContext:` is followed by a name of the request's own. */
const KMS = ['kms:EncryptionContextKeys', 'kms:EncryptionContext:']

const OTHERS: { readonly [action: string]: readonly string[] } = {
  'events:PutEvents': ['events:detail-type', 'events:source'],
  'kms:Decrypt': KMS,
  'kms:GenerateDataKey': KMS,
  'lambda:InvokeFunction': ['lambda:InvokedViaFunctionUrl'],
  'lambda:InvokeFunctionUrl': ['lambda:FunctionUrlAuthType'],
  's3:DeleteObject': [],
  'cloudwatch:DescribeAlarms': [],
  's3:GetObject': [],
  's3:ListBucket': ['s3:prefix'],
  's3:PutObject': [],
  'secretsmanager:GetSecretValue': [],
  'sts:AssumeRole': ['sts:ExternalId', 'sts:RoleSessionName'],
  'sqs:GetQueueAttributes': [],
  'sqs:GetQueueUrl': [],
  'sqs:SendMessage': [],
  'tag:GetResources': [],
  'logs:CreateLogStream': [],
  'logs:PutLogEvents': [],
}

/** Undefined for an action that these tests do not know. */
function keysOf(action: string): readonly string[] | undefined {
  const [service, name = ''] = action.split(':')
  if (service !== 'dynamodb') return OTHERS[action]
  return DYNAMODB[name]?.map((key) => `dynamodb:${key}`)
}

export function isKnownAction(action: string): boolean {
  return keysOf(action) !== undefined
}

/** Whether a request for the action can have the key at all. */
export function hasConditionKey(action: string, key: string): boolean {
  return (keysOf(action) ?? []).some(
    (known) => known === key || (known.endsWith(':') && key.startsWith(known)),
  )
}

/** Keys whose value is a list; AWS wants a set operator for them, and none for the others. */
const LISTS = ['dynamodb:Attributes', 'dynamodb:LeadingKeys', 'kms:EncryptionContextKeys']

export function isList(key: string): boolean {
  return LISTS.includes(key)
}
