/** The admin route of identities: subjects of issuers that are linked to users or invited. */
import { SUBJECT_CHARS_MAX, SUBJECT_RULE } from '../../../core/access/identity.ts'
import { MAIL_CHARS_MAX, MAIL_RULE } from '../../../core/access/identity-claims.ts'
import {
  addIdentity,
  IDENTITY_FORMS,
  IDENTITY_ID_RULE,
} from '../../../core/flow/users/manage-identities.ts'
import { type Route, readUid, type Schema, toAnswer } from '../route.ts'
import { AT_MS, TEXT, toAnsweredObject, UID } from '../schemas/field-schemas.ts'

/**
 * The flow judges the forms of these fields: an issuer is compared with the setting, and the
 * document may hold no more patterns.
 */
const ISSUER: Schema = {
  ...TEXT,
  examples: ['https://login.example.com'],
  description: 'One of the setting `issuers`, byte by byte.',
}
const SUBJECT: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: SUBJECT_CHARS_MAX,
  examples: ['00u1a2b3c4'],
  description: 'The subject of its tokens: `sub`, or the claim that the setting names.',
  'x-rule': SUBJECT_RULE,
}
const EMAIL: Schema = {
  type: 'string',
  maxLength: MAIL_CHARS_MAX,
  examples: ['ada@example.com'],
  description: 'The first login whose token has this verified address becomes the user.',
  'x-rule': MAIL_RULE,
}
const IDENTITY_ID: Schema = {
  type: 'string',
  examples: ['i:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'],
  description: 'The id that a refused login shows.',
  'x-rule': IDENTITY_ID_RULE,
}

const WITHDRAW: Schema = {
  type: 'boolean',
  enum: [true],
  description: 'Ends the invitation of this address for the user.',
}

const NEW_IDENTITY: Schema = {
  title: 'NewIdentity',
  type: 'object',
  properties: {
    issuer: ISSUER,
    subject: SUBJECT,
    identity: IDENTITY_ID,
    email: EMAIL,
    withdraw: WITHDRAW,
  },
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 3,
  description: `${IDENTITY_FORMS.replace(/^s/, 'S')}.`,
  'x-rule': `names no identity; ${IDENTITY_FORMS}`,
}

const ADDED_IDENTITY = toAnsweredObject(
  'AddedIdentity',
  {
    keyId: { ...TEXT, description: 'Of a linked identity: its id in the list of keys.' },
    expiresAtMs: { ...AT_MS, description: 'Of an invitation: its end; of a withdrawn one, now.' },
  },
  ['keyId', 'expiresAtMs'],
)

export const IDENTITY_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/users/{uid}/identities',
    operationId: 'addIdentity',
    tag: 'Keys',
    summary: 'Link a login of an issuer, or invite it',
    description:
      'A linked login is listed among the keys of the user, is limited like a key, and is unlinked by DELETE of that key. A link is in effect everywhere within 30 seconds. An invitation waits 30 days and is used once, unless it is withdrawn; the latest of an address counts.',
    access: 'either',
    role: 'operator',
    params: { uid: UID },
    body: {
      kind: 'json',
      schema: NEW_IDENTITY,
      required: true,
      example: { identity: 'i:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' },
    },
    answers: {
      200: {
        description: 'Linked, invited or withdrawn.',
        shown: {
          schema: ADDED_IDENTITY,
          example: { keyId: 'i:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' },
        },
      },
    },
    refuses: ['not_found', 'conflict'],
    run: async (ports, { issuers }, request) =>
      toAnswer(
        200,
        await addIdentity(ports, issuers, { uid: readUid(request), body: request.body }),
      ),
  },
]
