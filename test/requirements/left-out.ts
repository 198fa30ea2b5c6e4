/**
 * Rules of the specification that this server does not follow. No test can hold these, so each
 * has its reason; the page lists them under the rows.
 */
import {
  ALL,
  LEGACY_SINCE_2025_06,
  type LeftOut,
  MODERN,
  SINCE_2025_06,
  SINCE_2025_11,
  STREAMABLE_LEGACY,
} from './requirement.ts'

export const LEFT_OUT: readonly LeftOut[] = [
  {
    source: 'basic/authorization',
    revisions: SINCE_2025_06,
    level: 'MUST',
    says: 'Protected resource metadata, and `resource_metadata` and scope in the challenge of a 401.',
    why: 'Authorization is optional in MCP, and switched off by default: a 401 then says Bearer and no more. With a login or issuers, both are there.',
  },
  {
    source: 'basic/lifecycle, Operation',
    revisions: LEGACY_SINCE_2025_06,
    level: 'MUST',
    says: 'Only capabilities that were negotiated are used.',
    why: 'There is no session that could remember what `initialize` declared, so a client of that time may be asked what it did not declare. It answers with an error, which ends the call for nothing. Rejected: never asking, which would take elicitation from every client that has it.',
  },
  {
    source: 'basic/patterns/cancellation',
    revisions: MODERN,
    level: 'MUST',
    says: '`notifications/cancelled` for a listen stream that the server ends.',
    why: 'The page on subscriptions and the schema say otherwise: the result of the request, then the end. That is done (SUB-4).',
  },
  {
    source: 'basic, JSON Schema usage',
    revisions: SINCE_2025_11,
    level: 'MUST',
    says: 'A schema is validated by the dialect that its `$schema` names, and other dialects are refused.',
    why: '`$schema` is kept for clients and not judged: everything is read as 2020-12. What older drafts spell otherwise (dependencies, items as an array, `exclusiveMinimum` as a boolean) is refused by name, so that nothing passes unseen.',
  },
  {
    source: 'server/resources, Subscriptions',
    revisions: ALL,
    level: 'MAY',
    says: 'Notices of changed resources and lists.',
    why: 'Neither `subscribe` nor `listChanged` is declared: there is no session that could remember what is subscribed to, and lists may be used for a minute.',
  },
  {
    source: 'basic/transports, Sending messages',
    revisions: ['2025-11-25'],
    level: 'SHOULD',
    says: 'A stream begins with an event id and no data, so that a client can come back for the rest.',
    why: 'Nothing is kept that could be replayed. An id would promise it, and older clients fail at an event without data.',
  },
  {
    source: 'basic/utilities/ping',
    revisions: STREAMABLE_LEGACY,
    level: 'SHOULD',
    says: 'Pings test the connection from time to time.',
    why: 'No connection outlives a request. On HTTP with SSE, where one does, it is pinged (PING-2).',
  },
  {
    source: 'basic/utilities/cancellation',
    revisions: ALL,
    level: 'SHOULD',
    says: 'Reasons of cancellations are logged.',
    why: 'They are texts of a client, and no text of a client is logged. That a call was cancelled is.',
  },
  {
    source: 'basic, _meta',
    revisions: SINCE_2025_11,
    level: 'SHOULD',
    says: 'Prefixes in `_meta` are reverse domain names.',
    why: 'Ours is `skillgate/`, as each deployment has another domain or none.',
  },
  {
    source: 'client/elicitation, Security',
    revisions: SINCE_2025_06,
    level: 'MUST',
    says: 'No secrets are asked for by forms; answers are held against the requested schema.',
    why: 'The upstream asks and judges. The gateway hands on what both say.',
  },
  {
    source: 'server/tools, x-mcp-header',
    revisions: MODERN,
    level: 'SHOULD',
    says: 'Parameters with secrets are not mirrored in headers.',
    why: 'Whoever writes a skill annotates it. Secrets of a skill are no parameters here: they are set over the admin API.',
  },
]
