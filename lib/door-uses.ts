/**
 * Which methods of the store ports each door uses: what its function may do to the tables follows from
 * it (grants.ts). Written down, so that a change of a door's rights is a change of this page; held
 * to the code in both directions by test/lib/door-uses.test.ts, which derives it.
 */
import type { StorePermissions } from '../adapters/dynamodb/permissions.ts'
import type { SECRET_SEAL_PERMISSIONS } from '../adapters/kms/permissions.ts'
import type { Door } from './doors.ts'

/** Port → methods; a port that is not there is not used. */
export type Uses = {
  readonly [port in keyof StorePermissions]?: readonly (keyof StorePermissions[port])[]
}

export const DOOR_USES: { readonly [door in Door]: Uses } = {
  sse: {
    toolListVersion: ['read'],
    keys: ['find', 'renew'],
    leases: ['list', 'put', 'remove'],
    rateCounters: ['count'],
    profiles: ['read'],
    replies: ['append', 'tail'],
    sessions: ['accept', 'create', 'end', 'forget', 'read', 'renew'],
  },
  messages: {
    toolListVersion: ['read'],
    keys: ['find', 'renew'],
    ledger: ['list'],
    v0: ['read'],
    rateCounters: ['count'],
    profiles: ['read'],
    replies: ['append'],
    skills: ['list'],
    toolsCache: ['read'],
  },
  mcp: {
    toolListVersion: ['read'],
    clientResponses: ['expect', 'put', 'read'],
    keys: ['find', 'renew'],
    leases: ['list', 'put', 'remove'],
    ledger: ['list'],
    v0: ['read'],
    rateCounters: ['count'],
    profiles: ['read'],
    sessions: ['end', 'read'],
    skills: ['list'],
    toolsCache: ['read'],
  },
  execute: {
    idempotencyRecords: ['claim', 'drop', 'keep'],
    callLookup: ['read'],
    keys: ['find', 'renew'],
    ledger: ['decide', 'find', 'hold', 'release', 'voidSettled'],
    v0: ['move', 'read', 'watch'],
    rateCounters: ['count'],
    profiles: ['create', 'read'],
    secrets: ['find'],
    sweepEntries: ['put'],
  },
  admin: {
    toolListVersion: ['read', 'write'],
    keys: ['list', 'put', 'revoke'],
    ledger: ['grant', 'list'],
    v0: ['findKey', 'move', 'moveKey', 'read', 'scan', 'watch'],
    profiles: ['change', 'create', 'read', 'noteSkillsChanged'],
    secrets: ['list', 'put', 'remove'],
    skills: ['claimToolName', 'get', 'list', 'put', 'remove'],
    toolsCache: ['drop', 'read', 'renew', 'stage', 'staged', 'write'],
  },
  sweep: {
    ledger: ['decide', 'release'],
    v0: ['answered', 'asked', 'findKey', 'move', 'moveKey', 'read', 'watch'],
    profiles: ['create', 'read'],
    sweepEntries: ['list', 'readCursor', 'remove', 'writeCursor'],
  },
}

/** Which halves of the secret seals: who sets secrets cannot read them, and the other way round. */
export const SEAL_USES: { readonly [door in Door]?: keyof typeof SECRET_SEAL_PERMISSIONS } = {
  execute: 'open',
  admin: 'seal',
}
