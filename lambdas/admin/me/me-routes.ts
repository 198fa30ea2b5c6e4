/** All routes of the users' API, in the order of the documentation. */
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { OWN_CALL_ROUTES } from './call-routes.ts'
import { OWN_CREDENTIAL_ROUTES } from './credential-routes.ts'
import { OWN_TOOL_ROUTES } from './tool-routes.ts'
import { createUserDocumentRoute } from './user-openapi.ts'
import type { UserRoute } from './user-route.ts'

export const USER_ROUTES: readonly UserRoute[] = [
  ...ACCOUNT_ROUTES,
  ...OWN_CALL_ROUTES,
  ...OWN_TOOL_ROUTES,
  ...OWN_CREDENTIAL_ROUTES,
  createUserDocumentRoute(() => USER_ROUTES),
]
