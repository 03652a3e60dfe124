# The server with its data in /data, behind a proxy that speaks TLS:
#   docker build -t playtest .
#   docker run -d --name playtest -v playtest:/data -p 127.0.0.1:4747:4747 playtest \
#     serve run --host 0.0.0.0 --behind-proxy --data /data --log json --public-url https://playtest.example.com
#   docker exec playtest cat /data/admin-key
# Mail, cards and the database are configured by environment: src/help/server.md. Backup while it runs:
#   docker exec playtest node bin/playtest.js serve backup /data/backups --keep 14 --data /data
# With packages that are installed apart, such as Stripe's: --build-arg PACKAGES=stripe@23
# With ffmpeg for clips, still images and recording checks: --build-arg FFMPEG=ffmpeg, and set `clips.ffmpeg` to ["ffmpeg"].
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# The packages bring their binaries, so no script of theirs has to run and nothing is compiled.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="playtest" org.opencontainers.image.licenses="MIT"
ARG FFMPEG=""
RUN if [ -n "$FFMPEG" ]; then apt-get update && apt-get install -y --no-install-recommends "$FFMPEG" && rm -rf /var/lib/apt/lists/*; fi
# Into /node_modules, where Node.js looks after /app/node_modules.
ARG PACKAGES=""
RUN if [ -n "$PACKAGES" ]; then npm install --prefix / --no-save --ignore-scripts $PACKAGES && npm cache clean --force; fi
WORKDIR /app
COPY --from=build /src/package.json /src/LICENSE ./
COPY --from=build /src/bin/playtest.js ./bin/playtest.js
COPY --from=build /src/dist ./dist
COPY --from=build /src/node_modules ./node_modules
RUN mkdir /data && chown 1000:1000 /data
# The user `node`, as a number: Kubernetes cannot tell that a name is not root.
USER 1000:1000
VOLUME /data
EXPOSE 4747
# The server listens after its migrations, which may take long. The first success ends the period.
HEALTHCHECK --interval=10s --timeout=3s --start-period=1h CMD ["node", "-e", "fetch('http://127.0.0.1:4747/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Whatever connects from the container's private network is taken for the proxy.
ENTRYPOINT ["node", "/app/bin/playtest.js"]
CMD ["serve", "run", "--host", "0.0.0.0", "--behind-proxy", "--data", "/data", "--log", "json"]
