/** Every attack, in the order in which they run: the lists one after the other. */
import type { Attack } from './attack.ts'
import { ANSWER_ATTACKS } from './attacks/answers.ts'
import { BREAKER_ATTACK } from './attacks/breakers.ts'
import { BROWSER_ATTACKS } from './attacks/browser.ts'
import { BY_NAME_ATTACK } from './attacks/by-name.ts'
import { DEFINITION_ATTACKS } from './attacks/definitions.ts'
import { EDGE_PROBES } from './attacks/edge.ts'
import { DELETE_FLOOD_ATTACK, FLOOD_ATTACK } from './attacks/flood.ts'
import { LOGIN_CLIENT_ATTACKS } from './attacks/login-clients.ts'
import { LOGIN_CODE_ATTACKS } from './attacks/login-codes.ts'
import { LOGIN_FORM_ATTACKS, LOGIN_GUESS_ATTACK } from './attacks/login-forms.ts'
import { LOGIN_INVITE_ATTACK } from './attacks/login-invites.ts'
import { LOGIN_REDIRECT_ATTACKS } from './attacks/login-redirects.ts'
import { NAME_ATTACK } from './attacks/names.ts'
import { NUMBER_ATTACKS } from './attacks/numbers.ts'
import { PLAN_ATTACKS } from './attacks/plans.ts'
import { PRICE_ATTACK } from './attacks/prices.ts'
import { REPEATED_NAMES_ATTACK } from './attacks/repeated-names.ts'
import { SCHEMA_ATTACKS } from './attacks/schemas.ts'
import { SECRET_ATTACKS } from './attacks/secrets.ts'
import { SIGNATURE_ATTACK } from './attacks/signatures.ts'
import { SMUGGLING_ATTACK } from './attacks/smuggling.ts'
import { STATE_ATTACK } from './attacks/states.ts'
import { STREAM_ATTACKS } from './attacks/streams.ts'
import { TAKEN_BACK_ATTACK } from './attacks/taken-back.ts'
import { LISTEN_ATTACK, TASK_ATTACK } from './attacks/tasks.ts'
import { TOKEN_FORGERY_ATTACKS } from './attacks/token-forgeries.ts'
import { TOKEN_KEY_ATTACKS } from './attacks/token-keys.ts'
import { TOKEN_PEOPLE_ATTACKS } from './attacks/token-people.ts'
import { UPSTREAM_ATTACKS } from './attacks/upstreams.ts'
import { WAITER_ATTACK } from './attacks/waiters.ts'

/** Those on a gateway as it starts by default. */
export const ATTACKS: readonly Attack[] = [
  ...SECRET_ATTACKS,
  ...ANSWER_ATTACKS,
  BREAKER_ATTACK,
  ...SCHEMA_ATTACKS,
  ...NUMBER_ATTACKS,
  NAME_ATTACK,
  BY_NAME_ATTACK,
  PRICE_ATTACK,
  REPEATED_NAMES_ATTACK,
  ...DEFINITION_ATTACKS,
  SIGNATURE_ATTACK,
  STATE_ATTACK,
  TAKEN_BACK_ATTACK,
  TASK_ATTACK,
  LISTEN_ATTACK,
  SMUGGLING_ATTACK,
  ...STREAM_ATTACKS,
  WAITER_ATTACK,
  FLOOD_ATTACK,
  DELETE_FLOOD_ATTACK,
  ...BROWSER_ATTACKS,
  ...PLAN_ATTACKS,
  ...UPSTREAM_ATTACKS,
]

/** Those on a gateway with the login on, in this order: after the last one nobody may log in for a while. */
export const LOGIN_ATTACKS: readonly Attack[] = [
  ...LOGIN_CODE_ATTACKS,
  ...LOGIN_REDIRECT_ATTACKS,
  ...LOGIN_FORM_ATTACKS,
  ...LOGIN_CLIENT_ATTACKS,
  LOGIN_INVITE_ATTACK,
  LOGIN_GUESS_ATTACK,
]

/** Those on a gateway that accepts tokens of authorization servers. */
export const TOKEN_ATTACKS: readonly Attack[] = [
  ...TOKEN_FORGERY_ATTACKS,
  ...TOKEN_PEOPLE_ATTACKS,
  ...TOKEN_KEY_ATTACKS,
]

/** Those on a gateway behind an edge. */
export const EDGE_ATTACKS: readonly Attack[] = EDGE_PROBES
