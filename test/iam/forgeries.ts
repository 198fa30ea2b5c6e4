/**
 * What a stolen role would send: a request of the function, changed in one thing that its policy must refuse.
 * The rules are those of docs/security.md, What a stolen role can do, and know nothing of any policy.
 */
import type { Door } from '../../lib/doors.ts'
import type { Authorization } from './evaluate.ts'

const FOREIGN_KEY = 'foreign:of-nobody'
const OTHER = 'forged'
/** Changes scopes, and renews the key of a user who manages the account. */
const WRITER_OF_KEYS: Door = 'admin'
const KMS_NAME = 'kms:EncryptionContext:'

export function forgeriesOf(sent: Authorization, door: Door): readonly Authorization[] {
  const changes = [
    ...keyForgeries(sent),
    ...attributeForgeries(sent, door),
    ...sealForgeries(sent),
    ...callForgeries(sent),
    ...listForgeries(sent),
  ]
  const elsewhere = resourcesElsewhere(sent.resource).map((resource) => ({ ...sent, resource }))
  return [...elsewhere, ...changes.map((context) => ({ ...sent, context }))]
}

/**
 * The same resource of somebody else. For an object: another bucket, or another kind of name in the bucket.
 */
function resourcesElsewhere(resource: string): readonly string[] {
  // An action without a resource is allowed everywhere or nowhere.
  if (resource === '*') return []
  if (!resource.startsWith('arn:aws:s3:::')) return [`${resource}-of-others`]
  const [bucket, kind, ...rest] = resource.split('/')
  return [
    [`${bucket}-of-others`, kind, ...rest].join('/'),
    [bucket, `${kind}-of-others`, ...rest].join('/'),
  ]
}

type Context = { [key: string]: readonly string[] }

/** A list of other names of the bucket, and one of all of them. */
function listForgeries({ context }: Authorization): readonly Context[] {
  if (context['s3:prefix'] === undefined) return []
  return [{ ...context, 's3:prefix': ['results/'] }, without(context, 's3:prefix')]
}

/** One foreign key among its own, and a request that names no key. */
function keyForgeries({ context }: Authorization): readonly Context[] {
  const own = context['dynamodb:LeadingKeys']
  if (own === undefined) return []
  return [
    { ...context, 'dynamodb:LeadingKeys': [...own, FOREIGN_KEY] },
    without(context, 'dynamodb:LeadingKeys'),
  ]
}

/**
 * A renewal of a key may not change its owner nor show it; a scan may not show more than keys. The
 * function that changes scopes may write whole keys, so its updates are not limited.
 */
function attributeForgeries({ action, context }: Authorization, door: Door): readonly Context[] {
  const isScan = action === 'dynamodb:Scan'
  const keys = context['dynamodb:LeadingKeys'] ?? []
  const own = context['dynamodb:Attributes'] ?? []
  const isRenewal =
    door !== WRITER_OF_KEYS &&
    action === 'dynamodb:UpdateItem' &&
    keys.every((key) => key.startsWith('auth:hash:')) &&
    own.includes('renewedAtMs')
  if (!isScan && !isRenewal) return []
  const shown: Context = isScan
    ? { 'dynamodb:Select': ['ALL_ATTRIBUTES'] }
    : { 'dynamodb:ReturnValues': ['ALL_NEW'] }
  return [
    { ...context, 'dynamodb:Attributes': [...own, 'uid'] },
    without(context, 'dynamodb:Attributes'),
    { ...context, ...shown },
  ]
}

/** A seal must name all parts of its context and no other. */
function sealForgeries({ context }: Authorization): readonly Context[] {
  const own = context['kms:EncryptionContextKeys']
  if (own === undefined) return []
  return [
    { ...context, 'kms:EncryptionContextKeys': [...own, OTHER] },
    ...own.map((name) => without(context, `${KMS_NAME}${name}`)),
    // A secret that belongs to no user has one fixed owner in its context.
    ...(own.includes('owner') ? [{ ...context, [`${KMS_NAME}owner`]: [OTHER] }] : []),
  ]
}

/** Another function is called by its signed URL only. */
function callForgeries({ action, context }: Authorization): readonly Context[] {
  if (action === 'lambda:InvokeFunction') {
    return [{ ...context, 'lambda:InvokedViaFunctionUrl': ['false'] }]
  }
  if (action !== 'lambda:InvokeFunctionUrl') return []
  return [{ ...context, 'lambda:FunctionUrlAuthType': ['NONE'] }]
}

function without(context: Authorization['context'], key: string): Context {
  return Object.fromEntries(Object.entries(context).filter(([name]) => name !== key))
}
