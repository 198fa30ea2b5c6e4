/**
 * The store port methods that each function uses; its table permissions follow from them
 * (grants.ts). The list is written down so that a change of permissions shows as a change of this
 * file. test/lib/door-uses.test.ts derives the same list from the code and compares.
 */
import type { StorePermissions } from '../adapters/dynamodb/permissions.ts'
import type { SECRET_SEAL_PERMISSIONS } from '../adapters/kms/permissions.ts'
import type { Door } from './doors.ts'

/** Methods by port; a port that is not named is not used. */
export type Uses = {
  readonly [port in keyof StorePermissions]?: readonly (keyof StorePermissions[port])[]
}

/** What a call does in the ledger. */
const LEDGER_OF_CALLS: NonNullable<Uses['ledger']> = [
  'decide',
  'find',
  'forgive',
  'hold',
  'keepCharge',
  'list',
  'prolong',
  'release',
  'voidSettled',
]

export const DOOR_USES: { readonly [door in Door]: Uses } = {
  sse: {
    changes: ['listen'],
    issuerKeys: ['read'],
    keys: ['find', 'renew'],
    leases: ['countOpening', 'list', 'listOfKey', 'noteListed', 'put', 'remove', 'renew'],
    logins: ['readSecret'],
    profiles: ['read'],
    rateCounters: ['count'],
    replies: ['append', 'tail'],
    sessions: ['accept', 'create', 'end', 'forget', 'read', 'renew'],
    toolListVersion: ['recent'],
  },
  // Has all methods of execute, because messages makes calls itself (ADR 0135).
  messages: {
    callExcerpts: ['put'],
    callLookup: ['read'],
    changes: ['listen'],
    events: ['rearm', 'record'],
    guides: ['get', 'list', 'read'],
    idempotencyRecords: ['claim', 'drop', 'find', 'keep', 'keepTask'],
    jobs: ['claim', 'close', 'note', 'read'],
    keys: ['find', 'putSubKey', 'renew'],
    ledger: LEDGER_OF_CALLS,
    logins: ['readSecret'],
    mcpUpstreams: ['get', 'held', 'list'],
    profiles: ['create', 'read'],
    rateCounters: ['count'],
    replies: ['append'],
    secrets: ['find', 'put'],
    sharedSecrets: ['noteUse'],
    skillVersions: ['get'],
    skills: ['list'],
    sweepEntries: ['put'],
    tasks: ['end', 'read'],
    toolListVersion: ['read'],
    toolsCache: ['read'],
    upstreamSessions: ['put', 'read'],
    v0: ['move', 'read', 'watch'],
  },
  // Has all methods of execute, because mcp makes calls itself (ADR 0062).
  mcp: {
    callExcerpts: ['put'],
    callLookup: ['read'],
    changes: ['listen'],
    clientResponses: ['expect', 'put', 'read'],
    events: ['rearm', 'record'],
    guides: ['get', 'list', 'read'],
    idempotencyRecords: ['claim', 'drop', 'find', 'keep', 'keepTask'],
    identityInvites: ['find'],
    issuerKeys: ['put', 'read'],
    jobs: ['claim', 'close', 'create', 'note', 'read'],
    // Of the doors for agents, mcp alone links identities: a stolen role of another gives nobody a user.
    keys: ['find', 'putIdentity', 'putSubKey', 'renew'],
    leases: ['countOpening', 'list', 'listOfKey', 'noteListed', 'put', 'remove', 'renew'],
    ledger: [...LEDGER_OF_CALLS, 'grant' as const].sort(),
    logins: [
      'create',
      'end',
      'find',
      'findInviteUse',
      'findKey',
      'issue',
      'readSecret',
      'secret',
      'useInvite',
    ],
    mcpUpstreams: ['get', 'held', 'list'],
    oauthRegistrations: ['add', 'find'],
    profiles: ['create', 'read'],
    rateCounters: ['count', 'read'],
    secrets: ['find', 'put'],
    sessions: ['end', 'read'],
    sharedSecrets: ['noteUse'],
    skillVersions: ['get'],
    skills: ['get', 'list'],
    sweepEntries: ['put'],
    tasks: ['answer', 'ask', 'claim', 'create', 'end', 'read', 'renew'],
    toolListVersion: ['read', 'recent'],
    toolsCache: ['read'],
    upstreamSessions: ['put', 'read'],
    usageSums: ['readHead', 'readSkills'],
    usernames: ['read', 'write'],
    v0: ['move', 'read', 'watch'],
  },
  execute: {
    callExcerpts: ['put'],
    callLookup: ['read'],
    changes: ['listen'],
    events: ['rearm', 'record'],
    idempotencyRecords: ['claim', 'drop', 'find', 'keep', 'keepTask'],
    issuerKeys: ['put', 'read'],
    jobs: ['claim', 'close', 'note', 'read'],
    keys: ['find', 'putSubKey', 'renew'],
    ledger: LEDGER_OF_CALLS,
    logins: ['readSecret'],
    mcpUpstreams: ['get', 'held'],
    profiles: ['create', 'read'],
    rateCounters: ['count'],
    secrets: ['find', 'put'],
    sharedSecrets: ['noteUse'],
    skillVersions: ['get'],
    skills: ['list'],
    sweepEntries: ['put'],
    tasks: ['end', 'read'],
    toolListVersion: ['read'],
    toolsCache: ['read'],
    upstreamSessions: ['put', 'read'],
    v0: ['move', 'read', 'watch'],
  },
  admin: {
    adminKeys: ['create', 'find', 'list', 'noteUse', 'revoke'],
    auditTrail: ['append', 'day', 'head', 'lastDay', 'page'],
    callExcerpts: ['dropOwned', 'find'],
    events: ['find', 'list', 'put', 'rearm', 'record', 'resend'],
    guides: ['get', 'list', 'put', 'read', 'remove', 'version', 'versions'],
    identityInvites: ['find', 'put'],
    keys: ['changeScope', 'find', 'list', 'put', 'putIdentity', 'renew', 'revoke'],
    leases: ['list', 'remove'],
    ledger: ['debtors', 'dropReasons', 'find', 'grant', 'grants', 'list'],
    logins: ['end', 'find', 'list', 'readSecret', 'secret'],
    mcpUpstreams: [
      'dropHeld',
      'dropOffer',
      'get',
      'list',
      'offers',
      'put',
      'putHeld',
      'putOffer',
      'remove',
    ],
    profiles: [
      'change',
      'changeBudget',
      'changeKeyLimits',
      'create',
      'noteSkillsChanged',
      'read',
      'readAll',
    ],
    rateCounters: ['count', 'read'],
    secrets: ['list', 'put', 'remove'],
    sessions: ['end'],
    sharedSecrets: ['list', 'put', 'remove'],
    skillVersions: ['dropOwned', 'get', 'list'],
    skills: ['claimToolName', 'dropToolNames', 'get', 'list', 'put', 'remove'],
    sweepEntries: ['list', 'readCursor'],
    toolListVersion: ['read', 'write'],
    toolsCache: ['drop', 'read', 'renew', 'stage', 'staged', 'write'],
    usagePages: ['list'],
    usageSums: ['parts', 'readHead', 'readSkills'],
    userDirectory: ['page', 'uidOf'],
    usernames: ['read', 'write'],
    v0: ['findKey', 'move', 'moveKey', 'read', 'scan', 'watch'],
  },
  sweep: {
    events: ['claim', 'end', 'list', 'noteTry', 'readTools', 'rearm', 'record', 'recordTools'],
    ledger: ['decide', 'release'],
    mcpUpstreams: ['dropHeld', 'dropOffer', 'get', 'list', 'offers', 'put', 'putHeld', 'putOffer'],
    profiles: ['create', 'read', 'readAll'],
    skillVersions: ['list'],
    skills: ['get', 'list', 'put', 'remove'],
    sweepEntries: ['list', 'put', 'readCursor', 'writeCursor'],
    toolListVersion: ['read', 'write'],
    toolsCache: ['read', 'renew', 'stage', 'staged', 'write'],
    usagePages: ['list'],
    v0: ['dequeueKey', 'findKey', 'move', 'moveKey', 'queuedKeys', 'read', 'watch'],
  },
  usage: {
    auditTrail: ['day', 'lastDay', 'page'],
    usagePages: ['list', 'put'],
    usageSums: [
      'markPart',
      'moveHead',
      'parts',
      'readHead',
      'readSkills',
      'replacePart',
      'startHeads',
      'version',
      'writeSkills',
    ],
  },
}

/** The function that writes the archive. */
export const ARCHIVE_WRITER: Door = 'usage'

/** The functions that keep results of calls in the archive's bucket and read them again. */
export const RESULT_KEEPERS: readonly Door[] = ['mcp', 'messages', 'execute']

/**
 * The secret-seal methods of each function. Admin sets secrets and cannot read them. The functions
 * that make calls open them, and seal those of users: renewed logins, and on the page of mcp what
 * users set (ADR 0125).
 */
export const SEAL_USES: { readonly [door in Door]?: SealUses } = {
  execute: { ofUsers: ['open', 'seal'], shared: ['open'] },
  messages: { ofUsers: ['open', 'seal'], shared: ['open'] },
  mcp: { ofUsers: ['open', 'seal'], shared: ['open'] },
  admin: { ofUsers: ['seal'], shared: ['seal'] },
}

type SealUses = {
  readonly ofUsers: readonly SealUse[]
  readonly shared: readonly SealUse[]
}

type SealUse = keyof typeof SECRET_SEAL_PERMISSIONS
