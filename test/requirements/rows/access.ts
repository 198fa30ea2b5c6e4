/** Origin, credentials, limits. */
import {
  ALL,
  type Area,
  MODERN,
  SINCE_2025_06,
  SINCE_2025_11,
  STREAMABLE,
  section,
} from '../requirement.ts'

export const ACCESS: Area = {
  title: 'Origin and access',
  about: 'Access: API keys, and logins and tokens of issuers if the operator switches them on.',
  rows: [
    ...section('basic/transports, Security warning', ALL, {
      MUST: { 'ORIGIN-1': 'The Origin header is checked on every door for agents.' },
      SHOULD: {
        'ORIGIN-2': 'The twin listens on 127.0.0.1 unless it is told otherwise.',
        'ORIGIN-3': 'A call needs a key; without one there are the lists that everybody may see.',
      },
    }),
    ...section('basic/transports, Security warning', SINCE_2025_11, {
      MUST: { 'ORIGIN-4': 'A foreign Origin is 403.' },
    }),
    ...section('basic/authorization, Token handling', STREAMABLE, {
      MUST: {
        'AUTH-1': 'A key that was sent and is unknown, malformed or expired is 401.',
        'AUTH-2': 'A key in the query string is not taken.',
      },
    }),
    ...section('basic/authorization, Token passthrough', SINCE_2025_06, {
      MUST: { 'AUTH-3': 'The key of the agent never goes to an upstream.' },
    }),
    ...section('basic/authorization, Authorization server location', SINCE_2025_06, {
      MUST: { 'AUTH-4': 'A 401 carries `WWW-Authenticate: Bearer`.' },
    }),
    ...section('basic/authorization, Scope challenge handling', SINCE_2025_11, {
      SHOULD: {
        'AUTH-5':
          'A token with too little scope gets 403 with `insufficient_scope` and every scope that the request needs.',
      },
    }),
    ...section('basic/authorization, Scope challenge handling', MODERN, {
      MUST: { 'AUTH-6': 'A broader scope includes a narrower one: `tools:call` lists, too.' },
    }),
    ...section('server/tools, Security considerations', ALL, {
      MUST: {
        'SAFE-1': 'Inputs are validated before anything is charged or called.',
        'SAFE-2': 'A private tool is listed and run for its owner alone.',
        'SAFE-3': 'Calls and lists are limited by the minute, and calls by their number at once.',
        'SAFE-4':
          'Outputs are sanitised: blocks are rebuilt from their known members, and secrets of the call are masked.',
      },
    }),
  ],
}
