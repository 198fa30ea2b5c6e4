/** Forms of environment variables, and the words that ask for them. */

export const PREFIX = /^[a-z][a-z0-9]{0,15}$/
export const TABLE_NAME = /^[A-Za-z0-9_.-]{3,255}$/
export const REGION = /^[a-z0-9-]{3,30}$/
export const A_REGION = 'a region such as eu-central-1'
/** Without dots, which its certificate would not cover. */
export const BUCKET = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/
/**
 * An alias is refused: sealed values name the key itself, and only that key is asked to open them. The region is a group.
 */
export const KMS_KEY_ARN = /^arn:[a-z-]+:kms:[a-z0-9-]{3,30}:\d{12}:key\/[A-Za-z0-9-]{1,64}$/
export const A_KMS_KEY = 'the ARN of a KMS key (arn:aws:kms:REGION:ACCOUNT:key/ID)'
export const STREAM_ARN =
  /^arn:[a-z-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/[A-Za-z0-9_.-]{3,255}\/stream\/[\w:.-]{1,64}$/
/** Letters, digits and /_+=.@- in a name; an ARN has colons too. */
export const SECRET_ID = /^[A-Za-z0-9/_+=.@:-]{1,2048}$/
export const A_SECRET = 'the name or ARN of a secret'
export const STAGE = /^[a-z][a-z0-9-]{0,15}$/
export const STAGE_RULE = '1 to 16 characters of a-z, 0-9 and -, a letter first'

/**
 * The form that core/access compares: scheme, host and port without a path. Editors and extensions
 * have schemes of their own.
 */
export function isOrigin(text: string): boolean {
  return text === '*' || (/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,]+$/i.test(text) && URL.canParse(text))
}

export function isHostAndPort(text: string): boolean {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/i.test(text) && URL.canParse(`http://${text}`)
}
