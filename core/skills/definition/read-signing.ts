/**
 * Reads `config.auth` of type `sigv4`: the gateway signs each request of the skill for AWS.
 * core/request/check-signing.ts decides which hosts and roles may be used.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { EXTERNAL_ID_CHARS_MAX, ROLE_ARN_CHARS_MAX } from '../limits.ts'
import type { AwsSigning, Skill } from '../skill.ts'
import { addFieldError, type Notes, warnUnknown } from './field-notes.ts'

const POINTER = '/config/auth'
/** AWS's signing names, such as `execute-api`. */
const SERVICE = /^[a-z][a-z0-9-]{0,62}$/
const REGION = /^[a-z]{2,5}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/
/** Without `*` and `?`: an ARN here names one role. The path may be empty. */
const ROLE_ARN =
  /^arn:aws(?:-[a-z]{1,10}){0,2}:iam::\d{12}:role\/(?:[\w+=,.@-]{1,512}\/)*[\w+=,.@-]{1,64}$/
/** The form and the least length are AWS's. */
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,}$/

/** Headers that a signature consists of. */
const SIGNATURE_HEADERS = [
  'authorization',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
]

export function isSigned(auth: Json | undefined): auth is JsonObject {
  return isJsonObject(auth) && auth['type'] === 'sigv4'
}

/** Returns undefined after an error. */
export function readSigning(
  notes: Notes,
  auth: JsonObject,
  { headers }: Pick<Skill, 'headers'>,
): AwsSigning | undefined {
  warnUnknown(notes, POINTER, auth, ['type', 'service', 'region', 'role'])
  for (const name of SIGNATURE_HEADERS.filter((one) => Object.hasOwn(headers, one))) {
    addFieldError(
      notes,
      `/config/headers${toJsonPointer([name])}`,
      'is set by the signature of config.auth; remove it',
    )
  }
  const service = readForm(notes, 'service', auth['service'], {
    form: SERVICE,
    wanted: "the service's name in signatures, such as dynamodb, s3, sqs or execute-api",
  })
  const region = readForm(notes, 'region', auth['region'], {
    form: REGION,
    wanted: 'a region of AWS, such as eu-central-1',
  })
  const role = auth['role'] === undefined ? undefined : readRole(notes, auth['role'])
  if (service === undefined || region === undefined) return undefined
  return { service, region, ...(role === undefined ? {} : { role }) }
}

function readRole(notes: Notes, value: Json): AwsSigning['role'] {
  const given = isJsonObject(value) ? value : { arn: value }
  const at = isJsonObject(value) ? 'role/arn' : 'role'
  warnUnknown(notes, `${POINTER}/role`, given, ['arn', 'external_id'])
  const arn = readForm(notes, at, given['arn'], {
    form: ROLE_ARN,
    charsMax: ROLE_ARN_CHARS_MAX,
    wanted: `the ARN of a role (arn:aws:iam::ACCOUNT:role/NAME) of at most ${ROLE_ARN_CHARS_MAX} characters`,
  })
  const { external_id: id } = given
  const externalId =
    id === undefined
      ? undefined
      : readForm(notes, 'role/external_id', id, {
          form: EXTERNAL_ID,
          charsMax: EXTERNAL_ID_CHARS_MAX,
          wanted: `2 to ${EXTERNAL_ID_CHARS_MAX} characters of A-Z a-z 0-9 _ + = , . @ : / -`,
        })
  return arn === undefined
    ? undefined
    : { arn, ...(externalId === undefined ? {} : { externalId }) }
}

type Wanted = { readonly form: RegExp; readonly charsMax?: number; readonly wanted: string }

function readForm(
  notes: Notes,
  field: string,
  value: Json | undefined,
  { charsMax = Number.POSITIVE_INFINITY, form, wanted }: Wanted,
): string | undefined {
  if (typeof value === 'string' && value.length <= charsMax && form.test(value)) return value
  const start = value === undefined ? 'is missing; send' : 'must be'
  addFieldError(notes, `${POINTER}/${field}`, `${start} ${wanted}`)
  return undefined
}
