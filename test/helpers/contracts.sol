// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// What deposits are tested with: a token, an NFT that emits an event of the same name, and a wallet that passes coins on.
contract Token {
    mapping(address => uint256) public balanceOf;
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor() {
        balanceOf[msg.sender] = 1e18;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        require(balanceOf[msg.sender] >= value, "too little");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Moves the tokens of another, as a relayer does that was let to.
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(balanceOf[from] >= value, "too little");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        emit Approval(msg.sender, spender, value);
        return true;
    }

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    /// EIP-3009, with the name and version of USDC.
    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s
    ) external {
        require(block.timestamp > validAfter && block.timestamp < validBefore, "not valid now");
        require(!authorizationState[from][nonce], "used");
        require(recover(hashOf(from, to, value, validAfter, validBefore, nonce), v, r, s) == from, "invalid signature");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        require(balanceOf[from] >= value, "too little");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function hashOf(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce
    ) internal pure returns (bytes32) {
        return keccak256(abi.encode(
            keccak256("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"),
            from, to, value, validAfter, validBefore, nonce
        ));
    }

    function recover(bytes32 structHash, uint8 v, bytes32 r, bytes32 s) internal view returns (address) {
        bytes32 domain = keccak256(abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256("USD Coin"), keccak256("2"), block.chainid, address(this)
        ));
        return ecrecover(keccak256(abi.encodePacked(hex"1901", domain, structHash)), v, r, s);
    }

    function transferTwice(address to, uint256 first, uint256 second) external {
        transfer(to, first);
        transfer(to, second);
    }
}

contract Collectible {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    function transfer(address to, uint256 id) external {
        emit Transfer(msg.sender, to, id);
    }
}

contract Wallet {
    function transfer(address payable to, uint256) external payable {
        to.transfer(msg.value);
    }
}
