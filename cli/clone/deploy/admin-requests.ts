/** Sends requests of a deploy to the admin API of its stage, with the stage's own admin key. */

/** The fields of the admin API's responses that a deploy reads. */
export type Answer = {
  readonly users?: readonly unknown[]
  readonly key?: string
  readonly keyId?: string
  readonly keys?: readonly { readonly keyId?: string }[]
  readonly credits?: number
  readonly toolName?: string
  readonly detail?: string
}

/** Returns the response. Throws an Error with the text of the refusal. */
export type SendToAdmin = (method: string, path: string, body?: object) => Promise<Answer>

/** A refusal, with its status. */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal'
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

export function openAdmin(adminUrl: string, adminKey: string): SendToAdmin {
  return async (method, path, body) => {
    const response = await fetch(adminUrl + path, {
      method,
      headers: { 'X-Admin-Key': adminKey, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const answer = (await response.json()) as Answer
    if (response.ok) return answer
    const { status } = response
    throw new AdminRefusal(
      `${method} ${path} was answered with ${status}: ${answer.detail}`,
      status,
    )
  }
}
