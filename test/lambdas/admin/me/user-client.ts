/** The users' API as a client sees it, over a world in memory: one request, its answer read back. */
import { createAdminDoor } from '../../../../lambdas/admin/door.ts'
import { type AdminCall, type AdminReply, type AdminWorld, askDoor } from '../admin-client.ts'

/** `request` is a method and a path with its query, such as `GET /me/keys?limit=1`. */
export function askMe(
  { ports, settings }: AdminWorld,
  authorization: string | undefined,
  request: string,
  sent: AdminCall = {},
): Promise<AdminReply> {
  const [method = '', target = ''] = request.split(' ')
  const [path = '', query = ''] = target.split('?')
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...sent.headers,
  }
  const door = createAdminDoor(ports, settings)
  return askDoor(door, method, path, { ...sent, query, headers, below: '' })
}
