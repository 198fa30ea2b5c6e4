/** All routes of the users' API, in the order of the documentation. */
import { ACCOUNT_ROUTES } from './account-routes.ts'
import type { UserRoute } from './user-route.ts'

export const USER_ROUTES: readonly UserRoute[] = [...ACCOUNT_ROUTES]
