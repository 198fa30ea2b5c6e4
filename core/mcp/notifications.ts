/**
 * Writes notifications as JSON text. Tokens and ids are inserted exactly as the client wrote them.
 * Bound by ProgressNotification and ToolListChangedNotification of each revision.
 */
import { writeNotification, writeNotificationText } from '../jsonrpc/write-message.ts'
import type { ProgressToken } from './intent.ts'
import { LIST_CHANGED_METHOD } from './methods.ts'

export type Progress = {
  readonly token: ProgressToken
  readonly progress: number
  /** Undefined if it is not known. */
  readonly total: number | undefined
  readonly message: string
}

const PROGRESS_METHOD = 'notifications/progress'

export function writeProgress({ message, ...of }: Progress): string {
  return writeNotificationText(
    PROGRESS_METHOD,
    `{${writeProgressMembers(of)},"message":${JSON.stringify(message)}}`,
  )
}

/** Writes progress for 2024-11-05, which has no `message`. */
export function writeWordlessProgress(of: Omit<Progress, 'message'>): string {
  return writeNotificationText(PROGRESS_METHOD, `{${writeProgressMembers(of)}}`)
}

function writeProgressMembers({ progress, token, total }: Omit<Progress, 'message'>): string {
  const all = total === undefined ? '' : `,"total":${total}`
  return `"progressToken":${token},"progress":${progress}${all}`
}

export function writeListChanged(): string {
  return writeNotification(LIST_CHANGED_METHOD)
}
