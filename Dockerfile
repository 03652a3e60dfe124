# The server with its data in /data, behind a proxy that speaks TLS:
#   docker build -t playtest .
#   docker run -d --name playtest -v playtest:/data -p 127.0.0.1:4747:4747 playtest \
#     serve run --host 0.0.0.0 --behind-proxy --data /data --log json --public-url https://playtest.example.com
#   docker exec playtest cat /data/admin-key
# Mail, cards and the database are configured by environment: src/help/server.md. Backup while it runs:
#   docker exec playtest node bin/playtest.js serve backup /data/backups --keep 14 --data /data
FROM node:20-bookworm-slim AS build
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
WORKDIR /app
COPY --from=build /src/package.json /src/LICENSE ./
COPY --from=build /src/bin/playtest.js ./bin/playtest.js
COPY --from=build /src/dist ./dist
COPY --from=build /src/node_modules ./node_modules
RUN mkdir /data && chown node /data
USER node
VOLUME /data
EXPOSE 4747
# Whatever connects from the container's private network is taken for the proxy.
ENTRYPOINT ["node", "/app/bin/playtest.js"]
CMD ["serve", "run", "--host", "0.0.0.0", "--behind-proxy", "--data", "/data", "--log", "json"]
