// Runs `oidc-provider`, a certified authorization server, in this process. It listens on a free
// loopback port and accepts any resource on loopback. Its settings can change while it runs.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { errors } from 'oidc-provider';

/** The scopes of the resources. */
const SCOPES = 'files:read files:write';

/** The clients that are registered in advance. */
export const CLIENTS = {
  // For introspection.
  resource: { client_id: 'resource-server', client_secret: 'secret of the resource server' },
  // For the client credentials grant.
  machine: { client_id: 'machine', client_secret: 'secret of the machine' },
  // For logins.
  desktop: { client_id: 'desktop', client_secret: 'secret: of the desktop & others' },
};

export class Issuer {
  /** The format of access tokens: `jwt` or `opaque`. */
  format = 'jwt';
  /** The algorithm that signs JWTs. */
  algorithm = 'ES256';
  /** The lifetime of access tokens in seconds. */
  lifetime = 300;
  /** Whether to offer DPoP. */
  dpop = false;
  /** Whether DPoP proofs at the token endpoint need a nonce. */
  nonces = false;
  /** The events so far, as `{ what, … }`. */
  log = [];

  static async start() {
    const issuer = new Issuer();
    const listener = await issuer.#listen(0);
    issuer.url = `http://127.0.0.1:${listener.address().port}`;
    await issuer.rotate();
    return issuer;
  }

  #listen(port) {
    const listener = createServer((request, response) => this.callback(request, response));
    this.listener = listener;
    return new Promise((done, failed) => {
      listener.once('error', failed);
      listener.listen(port, '127.0.0.1', () => done(listener));
    });
  }

  /** Closes the port and all connections. */
  stop() {
    const closed = new Promise((done) => this.listener.close(done));
    this.listener.closeAllConnections();
    return closed;
  }

  /** Listens on the same port again. */
  restart() {
    return this.#listen(Number(new URL(this.url).port));
  }

  /** Forgets clients, logins and tokens, and replaces the keys. */
  async rotate() {
    const keys = [];
    for (const alg of ['ES256', 'RS256']) {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      keys.push({ ...(await exportJWK(privateKey)), alg, use: 'sig', kid: randomBytes(8).toString('hex') });
    }
    this.keys = keys;
    this.configure();
  }

  /** Applies settings that are only read at the start, such as `dpop`. Forgets everything that was issued. */
  configure() {
    const provider = new Provider(this.url, this.#configuration());
    const record = (what) => (ctx, ...rest) => {
      const { params, client, entities } = ctx.oidc;
      const error = rest.find((it) => it instanceof Error);
      const token = entities.AccessToken ?? entities.ClientCredentials;
      this.log.push({
        what,
        client: client?.clientId,
        grant: params?.grant_type,
        scope: params?.scope,
        bound: token?.jkt !== undefined,
        error: error?.error_description ?? error?.message,
      });
    };
    for (const what of [
      'registration_create.success', 'registration_create.error', 'authorization.success', 'authorization.error',
      'interaction.started', 'grant.success', 'grant.error', 'introspection.error', 'revocation.error',
    ]) provider.on(what, record(what));
    provider.on('server_error', (ctx, error) => this.log.push({ what: 'server_error', error: error.stack }));
    this.callback = provider.callback();
  }

  /** Counts the events of a kind since `from`, optionally only for one grant type. */
  count(what, grant, from = 0) {
    const fits = (it) => it.what === what && (grant === undefined || it.grant === grant);
    return this.log.slice(from).filter(fits).length;
  }

  #configuration() {
    const secret = { ...CLIENTS.resource, redirect_uris: [], response_types: [], grant_types: [] };
    const machine = { ...CLIENTS.machine, redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
    const desktop = {
      ...CLIENTS.desktop,
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
    };
    return {
      jwks: { keys: this.keys },
      clients: [secret, machine, desktop],
      cookies: { keys: [randomBytes(16).toString('hex')] },
      scopes: ['openid', 'offline_access', ...SCOPES.split(' ')],
      clientBasedCORS: () => false,
      findAccount: (ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
      pkce: { required: () => true },
      issueRefreshToken: (ctx, client) => client.grantTypeAllowed('refresh_token'),
      expiresWithSession: () => false,
      ttl: {
        AccessToken: (ctx, token) => token.resourceServer?.accessTokenTTL ?? 300,
        ClientCredentials: (ctx, token) => token.resourceServer?.accessTokenTTL ?? 300,
        Grant: 3600, Session: 3600, Interaction: 600, IdToken: 300, RefreshToken: 3600,
      },
      features: {
        clientCredentials: { enabled: true },
        dPoP: { enabled: this.dpop, nonceSecret: randomBytes(32), requireNonce: () => this.nonces },
        introspection: { enabled: true },
        registration: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (ctx, resource) => {
            if (!resource.startsWith('http://127.0.0.1:')) throw new errors.InvalidTarget();
            return {
              scope: SCOPES,
              audience: resource,
              accessTokenTTL: this.lifetime,
              accessTokenFormat: this.format,
              jwt: { sign: { alg: this.algorithm } },
            };
          },
        },
      },
    };
  }
}
