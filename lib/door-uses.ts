/**
 * Which methods of the store ports each door uses: what its function may do to the tables follows from
 * it (grants.ts). Written down, so that a change of a door's rights is a change of this page; held
 * to the code in both directions by test/lib/door-uses.test.ts, which derives it.
 */
import type { StoreTouches } from '../adapters/dynamodb/touches.ts'
import type { SECRET_SEAL_TOUCHES } from '../adapters/kms/touches.ts'
import type { Door } from './doors.ts'

/** Port → methods; a port that is not there is not used. */
export type Uses = { readonly [port in keyof StoreTouches]?: readonly (keyof StoreTouches[port])[] }

export const DOOR_USES: { readonly [door in Door]: Uses } = {
  sse: {
    broadcast: ['read'],
    keys: ['find', 'renew'],
    leases: ['list', 'put', 'remove'],
    minutes: ['count'],
    profiles: ['read'],
    replies: ['append', 'tail'],
    sessions: ['accept', 'create', 'end', 'forget', 'read', 'renew'],
  },
  messages: {
    broadcast: ['read'],
    keys: ['find', 'renew'],
    ledger: ['list'],
    minutes: ['count'],
    profiles: ['read'],
    replies: ['append'],
    skills: ['list'],
    toolsCache: ['read'],
  },
  execute: {
    answers: ['claim', 'drop', 'keep'],
    callRecords: ['read'],
    keys: ['find', 'renew'],
    ledger: ['decide', 'find', 'hold', 'release', 'voidSettled'],
    minutes: ['count'],
    profiles: ['read'],
    secrets: ['find'],
    sweepMarks: ['mark'],
  },
  admin: {
    broadcast: ['read', 'write'],
    keys: ['list', 'put', 'revoke'],
    ledger: ['grant', 'list'],
    profiles: ['create', 'read', 'touchSkills'],
    secrets: ['list', 'put', 'remove'],
    skills: ['claimToolName', 'get', 'list', 'put'],
    toolsCache: ['drop', 'read', 'write'],
  },
  sweep: {
    ledger: ['decide', 'release'],
    profiles: ['read'],
    sweepMarks: ['list', 'readCursor', 'remove', 'writeCursor'],
  },
}

/** Which halves of the secret seals: who sets secrets cannot read them, and the other way round. */
export const SEAL_USES: { readonly [door in Door]?: keyof typeof SECRET_SEAL_TOUCHES } = {
  execute: 'open',
  admin: 'seal',
}
