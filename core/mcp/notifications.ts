/**
 * Whole notifications as JSON text. Tokens and ids are inserted as the client wrote them.
 * Bound by ProgressNotification and ToolListChangedNotification of each revision.
 */
import { notificationText, notificationWith } from '../jsonrpc/write-message.ts'
import type { ProgressToken } from './intent.ts'
import { LIST_CHANGED_METHOD } from './methods.ts'

export type Progress = {
  readonly token: ProgressToken
  readonly progress: number
  readonly total: number
  readonly message: string
}

const PROGRESS_METHOD = 'notifications/progress'

export function progressText({ message, ...of }: Progress): string {
  return notificationWith(
    PROGRESS_METHOD,
    `{${progressMembers(of)},"message":${JSON.stringify(message)}}`,
  )
}

/** For 2024-11-05, whose progress has no `message`. */
export function wordlessProgressText(of: Omit<Progress, 'message'>): string {
  return notificationWith(PROGRESS_METHOD, `{${progressMembers(of)}}`)
}

function progressMembers({ progress, token, total }: Omit<Progress, 'message'>): string {
  return `"progressToken":${token},"progress":${progress},"total":${total}`
}

export function listChangedText(): string {
  return notificationText(LIST_CHANGED_METHOD)
}
