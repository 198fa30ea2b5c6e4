/**
 * The credential of a user in a request between functions of the gateway. Only a door that IAM has
 * proven to be called by one of them may read it.
 */
import {
  type Credential,
  type CredentialForm,
  NO_CREDENTIAL,
} from '../../core/access/credential.ts'
import { isJsonObject, type Json } from '../../core/json/json.ts'

export const CREDENTIAL_HEADER = 'x-skillgate-credential'

export function writeCredential(credential: Credential): string {
  return Buffer.from(JSON.stringify(credential)).toString('base64url')
}

const UNREADABLE: Credential = {
  kind: 'refused',
  refusal: { code: 'unauthenticated', detail: `${CREDENTIAL_HEADER}: is not readable.` },
  keyStart: undefined,
}

const FORMS: readonly CredentialForm[] = ['api-key', 'access-token', 'identity', 'foreign']

/**
 * Reads the credential that {@link writeCredential} wrote of a caller with a key. Any other text is
 * a refused credential, and none is an anonymous one.
 */
export function readSentCredential(header: string | undefined): Credential {
  if (header === undefined) return NO_CREDENTIAL
  const sent = parse(Buffer.from(header, 'base64url').toString())
  if (!isJsonObject(sent)) return UNREADABLE
  const { form, id, keyStart, mayCall, sealingKey } = sent
  if (typeof id !== 'string' || typeof sealingKey !== 'string') return UNREADABLE
  return {
    kind: 'key',
    id,
    sealingKey,
    form: FORMS.find((known) => known === form) ?? 'foreign',
    keyStart: typeof keyStart === 'string' ? keyStart : undefined,
    ...(mayCall === true ? { mayCall } : {}),
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
